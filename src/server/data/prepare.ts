import { existsSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../../lib/files/file-lock.ts';
import { makePrivate } from '../../lib/files/private-folder.ts';
import type { Dataset, Options } from '../../study/types.ts';
import type { ServerEnvironment } from '../build.ts';
import { type Build, shortHash } from '../build.ts';
import { workDirectory } from '../cache/registry.ts';
import { optionsKey } from '../options/options.ts';
import { resolveBuild } from '../resolve.ts';
import { contentKey } from './content-key.ts';
import { creationOptions } from './data-options.ts';
import { fillDirectory, upgradeDirectory } from './fill-directory.ts';
import type { DataSummary, PreparedData } from './prepared-data.ts';

/**
 * The directory that trials of a variant start from: the data set prepared for this build and its creation-time options,
 * once. Loaded, purged, slowly stopped, started and slowly stopped again, without a dump of the buffer pool.
 */
export async function prepareDataset(
  build: Build,
  dataset: Dataset,
  options: Options,
  environment: ServerEnvironment,
  engine?: string,
): Promise<PreparedData> {
  const creation = creationOptions(options);
  const origin = dataset.preparedBy === undefined ? build : await resolveBuild(dataset.preparedBy, environment);
  const key = shortHash({
    build: build.id,
    origin: origin.id,
    creation: optionsKey(creation),
    engine: engine?.toUpperCase() ?? null,
    content: await contentKey(dataset, environment.cacheDirectory),
  });
  const directory = join(environment.cacheDirectory, 'datasets', `${dataset.name}-${key}`);
  const known = await readPrepared(directory);
  if (known !== null) return known;
  return await withLock(`${directory}.lock`, environment, async () => {
    const meanwhile = await readPrepared(directory);
    if (meanwhile !== null) return meanwhile;
    const work = await workDirectory(environment.cacheDirectory);
    try {
      const data = join(work, 'data');
      const making = { build, engine, dataset, creation, data, environment };
      const made =
        origin.id === build.id
          ? null
          : await prepareDataset(origin, withoutOrigin(dataset), options, environment, engine);
      const summary = made === null ? await fillDirectory(making) : await upgradeDirectory(making, made);
      await writeFile(join(work, 'summary.json'), JSON.stringify({ ...summary, key, buildId: build.id }, null, 2));
      await makePrivate(join(environment.cacheDirectory, 'datasets'));
      await rename(work, directory);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return (await readPrepared(directory))!;
  });
}

function withoutOrigin(dataset: Dataset): Dataset {
  const { preparedBy: _, ...rest } = dataset;
  return rest;
}

async function readPrepared(directory: string): Promise<PreparedData | null> {
  const text = existsSync(join(directory, 'data'))
    ? await readFile(join(directory, 'summary.json'), 'utf8').catch(() => null)
    : null;
  return text === null ? null : { directory: join(directory, 'data'), summary: JSON.parse(text) as DataSummary };
}
