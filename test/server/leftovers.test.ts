import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { argumentsOf } from '../../src/lib/process/proc.ts';
import type { Build } from '../../src/server/build.ts';
import { reapLeftovers, registryDirectory, workDirectory, workRoot } from '../../src/server/cache/registry.ts';
import { environment, freshServer, installedBuild, privateFolder } from './real.ts';

/** A cache of its own for the killed ones, with the fetched build and the pristine directory of the shared one. */
let cacheDirectory: string;
let build: Build;

beforeAll(async () => {
  build = await installedBuild();
  cacheDirectory = await privateFolder();
  await mkdir(cacheDirectory);
  // The pristine directory must exist before anyone is killed while making it.
  await (await freshServer(build)).stop('crash');
}, 180_000);

const SCRIPT = `
import { join } from 'node:path';
const [, rooms, shared, own] = process.argv;
const room = (name) => import(join(rooms, name));
const { resolveBuild } = await room('resolve.ts');
const { pristineDirectory } = await room('data/pristine.ts');
const { copyDataDirectory } = await room('data/copy.ts');
const { startServer } = await room('start.ts');
const { workDirectory } = await room('cache/registry.ts');
const environment = { cacheDirectory: shared, progress: () => undefined };
const build = await resolveBuild({ source: 'installed' }, environment);
const pristine = await pristineDirectory(build, {}, environment);
process.stdout.write('ready\\n');
for (;;) {
  const data = join(await workDirectory(own), 'data');
  await copyDataDirectory(pristine, data);
  const server = await startServer(build, { dataDirectory: data, options: {}, startSeconds: 60, cacheDirectory: own });
  await server.sql('SELECT 1');
  await server.stop('fast');
}
`;

function benchbook(): ChildProcess {
  const rooms = join(import.meta.dirname, '../../src/server');
  const args = [
    '--import',
    'tsx',
    '--input-type=module',
    '--eval',
    SCRIPT,
    rooms,
    environment.cacheDirectory,
    cacheDirectory,
  ];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Until it runs servers; one that fails by itself fails the test. */
async function readiness(child: ChildProcess): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    child.stdout!.once('data', () => resolve());
    child.once('close', (code) => reject(new Error(`it ended with exit code ${code}`)));
  });
}

function serversBelow(directory: string): readonly number[] {
  const pids = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => argumentsOf(pid).some((argument) => argument.startsWith(`--datadir=${directory}`)));
}

describe('a Benchbook that was killed with -9', () => {
  it('at random moments leaves nothing that the next one does not clean, and nothing of others is touched', async () => {
    const foreign = await freshServer(build);
    const child = benchbook();
    await readiness(child);
    child.kill('SIGKILL');
    let cleaned = 0;
    for (let round = 0; round < 6; round++) {
      const killed = benchbook();
      await readiness(killed);
      await sleep(Math.random() * 500);
      killed.kill('SIGKILL');
      await new Promise((resolve) => killed.once('close', resolve));
      cleaned += (await reapLeftovers(cacheDirectory)).length;
      expect(serversBelow(cacheDirectory)).toEqual([]);
      expect(await readdir(workRoot(cacheDirectory))).toEqual([]);
      expect(await readdir(registryDirectory(cacheDirectory)).catch(() => [])).toEqual([]);
    }
    expect(cleaned).toBeGreaterThan(0);
    expect(await foreign.sql('SELECT 1 AS a')).toEqual([{ a: 1 }]);
    await foreign.stop('fast');
  }, 180_000);

  it('leaves what belongs to a living one alone', async () => {
    const server = await freshServer(build, { cacheDirectory });
    const mine = await workDirectory(cacheDirectory);
    expect(await reapLeftovers(cacheDirectory)).toEqual([]);
    expect(existsSync(mine)).toBe(true);
    expect(await server.sql('SELECT 1 AS a')).toEqual([{ a: 1 }]);
    await server.stop('crash');
    await rm(mine, { recursive: true });
  });
});
