import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lockHost } from '../../src/run/world/host-lock.ts';

// Other runs on this machine would decide these tests: they use a name of their own.
const NAME = `benchbook-test-${process.pid}`;

test('a second run is refused and told who runs; --force goes on, and tells it', async () => {
  const first = await lockHost('process 7, study x', false, () => undefined, NAME);
  const told: string[] = [];
  await expect(lockHost('second', false, () => undefined, NAME)).rejects.toThrow(
    'another run measures on this machine (process 7, study x)',
  );
  const forced = await lockHost('second', true, (text) => told.push(text), NAME);
  expect(told).toEqual([expect.stringContaining('process 7, study x')]);
  await forced.release();
  await first.release();
  await (await lockHost('third', false, () => undefined, NAME)).release();
});

test('the lock of a killed process is free', async () => {
  const module = join(import.meta.dirname, '../../src/run/world/host-lock.ts');
  const text = `import { lockHost } from ${JSON.stringify(module)};
    await lockHost('killed', false, () => {}, ${JSON.stringify(NAME)});
    console.log('held');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await new Promise((resolve) => child.stdout.once('data', resolve));
  await expect(lockHost('me', false, () => undefined, NAME)).rejects.toThrow('(killed)');
  child.kill('SIGKILL');
  await ended;
  await (await lockHost('me', false, () => undefined, NAME)).release();
});

test('a process that asks who runs, and then does nothing more, does not hold up the end of the run', async () => {
  const name = `${NAME}-asked`;
  const lock = await lockHost('first', false, () => undefined, name);
  // It neither reads the answer to its end nor closes the connection, like a process that was stopped.
  const asking = connect({ path: `\0${name}`, allowHalfOpen: true });
  await once(asking, 'data');
  asking.pause();
  await lock.release();
  asking.destroy();
}, 10_000);
