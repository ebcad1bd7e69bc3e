import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { BenchbookError } from '../../../lib/errors.ts';
import type { ServerEnvironment } from '../../build.ts';
import { step } from './build-step.ts';

/** Settings of cmake's cache that tell how a binary was made. */
const KEPT =
  /^(CMAKE_BUILD_TYPE|CMAKE_C(?:XX)?_COMPILER|CMAKE_C(?:XX)?_FLAGS(?:_RELWITHDEBINFO|_RELEASE|_DEBUG)?|WITH_[A-Z]+|PLUGIN_[A-Z]+):\w+=(.*)$/gm;

/**
 * Puts together at `root` what a server needs to run: by installing everything, or, where only one target was built, by
 * picking binary, messages, character sets, system tables and plugins from the build tree.
 */
export async function collectBuilt(
  target: string | undefined,
  work: string,
  root: string,
  logPath: string,
  environment: ServerEnvironment,
): Promise<void> {
  const build = join(work, 'build');
  const source = join(work, 'source');
  if (target === undefined)
    await step('cmake', ['--install', build], { what: 'installing', folder: build, logPath, environment });
  else await pick(source, build, root);
  const cache = await readFile(join(build, 'CMakeCache.txt'), 'utf8');
  const settings = Object.fromEntries(
    [...cache.matchAll(KEPT)].map((match) => [match[1]!, match[2]!]).filter(([, value]) => value !== ''),
  );
  await mkdir(root, { recursive: true });
  await writeFile(join(root, 'benchbook-build.json'), `${JSON.stringify(settings, null, 2)}\n`);
}

async function pick(source: string, build: string, root: string): Promise<void> {
  const folders = ['sql', 'bin', 'runtime_output_directory', '.'].map((name) => join(build, name));
  const binary = ['mariadbd', 'mysqld']
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
  if (binary === undefined) {
    throw new BenchbookError('server', 'The build succeeded, but made no mariadbd and no mysqld.', {
      hint: 'Name another target.',
    });
  }
  for (const name of ['bin', 'share', 'lib/plugin']) await mkdir(join(root, name), { recursive: true });
  await copyFile(binary, join(root, 'bin', basename(binary)));
  for (const messages of [join(build, 'sql/share'), join(build, 'share')]) {
    if (existsSync(join(messages, 'english'))) await cp(messages, join(root, 'share'), { recursive: true });
  }
  for (const charsets of [join(source, 'sql/share/charsets'), join(source, 'share/charsets')]) {
    if (existsSync(charsets)) await cp(charsets, join(root, 'share/charsets'), { recursive: true });
  }
  // What the build generated wins over what lies in the source under the same name.
  for (const folder of [join(source, 'scripts'), join(build, 'scripts')]) {
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.endsWith('.sql')) await copyFile(join(folder, name), join(root, 'share', name));
    }
  }
  for (const plugin of await sharedObjects(
    join(build, 'plugin'),
    join(build, 'storage'),
    join(build, 'plugin_output_directory'),
  )) {
    await copyFile(plugin, join(root, 'lib/plugin', basename(plugin)));
  }
}

async function sharedObjects(...folders: readonly string[]): Promise<readonly string[]> {
  const found: string[] = [];
  for (const folder of folders) {
    const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
    found.push(
      ...entries
        .filter((entry) => entry.isFile() && entry.name.endsWith('.so'))
        .map((entry) => join(entry.parentPath, entry.name)),
    );
  }
  return found;
}
