import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Build } from '../build.ts';

/** The plugin files of storage engines, by the engine's name. */
const PLUGIN_FILES: Readonly<Record<string, string>> = {
  ARCHIVE: 'ha_archive.so',
  BLACKHOLE: 'ha_blackhole.so',
  COLUMNSTORE: 'ha_columnstore.so',
  CONNECT: 'ha_connect.so',
  EXAMPLE: 'ha_example.so',
  FEDERATED: 'ha_federatedx.so',
  MROONGA: 'ha_mroonga.so',
  OQGRAPH: 'ha_oqgraph.so',
  ROCKSDB: 'ha_rocksdb.so',
  S3: 'ha_s3.so',
  SPHINX: 'ha_sphinx.so',
  SPIDER: 'ha_spider.so',
  TOKUDB: 'ha_tokudb.so',
};

/** Why a build cannot offer a storage engine, as a sentence; null where it can. To be asked before a trial. */
export function missingEngine(build: Build, engine: string): string | null {
  const name = engine.toUpperCase();
  if (build.engines?.includes(name) || pluginOf(build, name) !== null) return null;
  const file = PLUGIN_FILES[name];
  const why =
    file === undefined ? 'it is not among its engines' : `it is not compiled in, and ${file} is not among its plugins`;
  return `${build.version} has no storage engine ${name}: ${why}`;
}

/** The arguments that load a storage engine from the build's own plugins; none where it is compiled in. */
export function engineArguments(build: Build, engine: string | undefined): readonly string[] {
  if (engine === undefined || build.engines?.includes(engine.toUpperCase())) return [];
  const file = pluginOf(build, engine.toUpperCase());
  return file === null ? [] : [`--plugin-load-add=${file}`];
}

function pluginOf(build: Build, name: string): string | null {
  const file = PLUGIN_FILES[name];
  const folder = build.defaults.find((option) => option.startsWith('--plugin-dir='))?.replace(/^[^=]*=/, '');
  return file !== undefined && folder !== undefined && existsSync(join(folder, file)) ? file : null;
}
