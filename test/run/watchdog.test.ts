import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-dog-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** Node.js that runs an ES module text with TypeScript, and the exit that it takes. */
function node(text: string) {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk: Buffer) => resolve(chunk.toString())),
  );
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return { child, said, ended };
}

/** Watches over `folder/trials`, starts a process with an option below it and one without, and prints their pids. */
function script(end: string): string {
  const module = join(import.meta.dirname, '../../src/run/trial/watchdog.ts');
  return `
    import { spawn } from 'node:child_process';
    import { watchOver } from ${JSON.stringify(module)};
    const dog = watchOver(${JSON.stringify(join(folder, 'trials'))});
    const start = (option) => spawn('/bin/sh', ['-c', 'while :; do sleep 0.1; done', 'server', option], { detached: true, stdio: 'ignore' }).pid;
    const pids = [start('--datadir=${folder}/trials/b001'), start('--datadir=${folder}/trials-of-others/b001')];
    ${end}
    console.log(JSON.stringify(pids));
    setInterval(() => {}, 1000);`;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function until(condition: () => boolean): Promise<boolean> {
  for (let waited = 0; waited < 10_000; waited += 50) {
    if (condition()) return true;
    await sleep(50);
  }
  return false;
}

test('after kill -9 nothing that runs in the directory stays, the directory goes, and nobody else is harmed', async () => {
  await mkdir(join(folder, 'trials', 'b001'), { recursive: true });
  const { child, said, ended } = node(script(''));
  const [server, other] = JSON.parse(await said) as [number, number];
  child.kill('SIGKILL');
  await ended;
  expect(await until(() => !isAlive(server))).toBe(true);
  expect(await until(() => !existsSync(join(folder, 'trials')))).toBe(true);
  expect(isAlive(other)).toBe(true);
  process.kill(other, 'SIGKILL');
});

test('what runs in a further directory ends too, and that directory stays', async () => {
  const further = join(folder, 'trials-of-others');
  await mkdir(further, { recursive: true });
  const { child, said, ended } = node(script(`dog.also(${JSON.stringify(further)});`));
  const pids = JSON.parse(await said) as number[];
  child.kill('SIGKILL');
  await ended;
  expect(await until(() => !pids.some(isAlive))).toBe(true);
  expect(existsSync(further)).toBe(true);
});

test('once dismissed it does nothing', async () => {
  await mkdir(join(folder, 'trials'), { recursive: true });
  const { child, said, ended } = node(script('dog.dismiss();'));
  const [server, other] = JSON.parse(await said) as [number, number];
  child.kill('SIGKILL');
  await ended;
  await sleep(700);
  expect([server, other].map(isAlive)).toEqual([true, true]);
  expect(existsSync(join(folder, 'trials'))).toBe(true);
  for (const pid of [server, other]) process.kill(pid, 'SIGKILL');
});
