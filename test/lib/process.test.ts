import { totalmem } from 'node:os';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { parseCpuList, sameCpus } from '../../src/lib/process/cpu-list.ts';
import { identityOf, isAlive, isForeign, ownIdentity } from '../../src/lib/process/identity.ts';
import { holderOfName, takeName } from '../../src/lib/process/kernel-lock.ts';
import {
  allowedCpusOf,
  argumentsOf,
  cpuTimeOf,
  ioOf,
  limitOf,
  memoryInfo,
  procText,
  sessionOf,
} from '../../src/lib/process/proc.ts';

const me = ownIdentity();

test('a process is distinguished from a later one with the same number', () => {
  expect(me).toEqual(identityOf(process.pid));
  expect(isAlive(me)).toBe(true);
  expect(isAlive({ ...me, startTicks: '1' })).toBe(false);
  expect(isAlive({ ...me, bootId: 'other' })).toBe(false);
  expect(identityOf(2 ** 30)).toBeNull();
});

test('a process of another container or machine counts as alive, one of before a restart does not', () => {
  const elsewhere = { ...me, pidNamespace: 'pid:[1]', startTicks: '1' };
  expect([isForeign(elsewhere), isAlive(elsewhere)]).toEqual([true, true]);
  expect(isAlive({ ...me, bootId: 'other' })).toBe(false);
  expect(isAlive({ ...me, bootId: 'other', host: 'elsewhere' })).toBe(true);
});

test('without /proc a process is alive where its number is in use', () => {
  expect(isAlive({ ...me, startTicks: '' })).toBe(true);
  expect(isAlive({ ...me, startTicks: '', pid: 2 ** 22 + 1 })).toBe(false);
});

test('/proc says what a process is and has used', async () => {
  const child = execa('cat', ['-', 'é ) x'], { detached: true, reject: false });
  const pid = child.pid!;
  try {
    await expect.poll(() => argumentsOf(pid)).toEqual(['cat', '-', 'é ) x']);
    expect(sessionOf(pid)).toBe(pid);
    expect(cpuTimeOf(pid).userSeconds).toBeLessThan(1);
    expect(ioOf(pid).writtenBytes).toBe(0);
    expect(parseCpuList(allowedCpusOf(pid)!).length).toBeGreaterThan(0);
  } finally {
    child.kill('SIGKILL');
    await child;
  }
  expect([procText(pid, 'stat'), sessionOf(pid), argumentsOf(pid), allowedCpusOf(pid)]).toEqual([null, null, [], null]);
  expect(ioOf(pid)).toEqual({ readBytes: null, writtenBytes: null });
  expect(() => cpuTimeOf(pid)).toThrow('no CPU times');
});

test('lists of CPUs', () => {
  expect(parseCpuList('0-3,8')).toEqual([0, 1, 2, 3, 8]);
  expect(parseCpuList('')).toEqual([]);
  expect(sameCpus('0-2', '2,0,1,1')).toBe(true);
  expect(sameCpus('0-2', '0-3')).toBe(false);
});

test('a name of the kernel has one holder, who can be asked', async () => {
  const name = `benchbook-test-${process.pid}`;
  const lock = await takeName(name, 'I am here');
  expect(await takeName(name)).toBe('taken');
  expect(await holderOfName(name)).toBe('I am here');
  if (typeof lock !== 'string' && 'release' in lock) await lock.release();
  expect(await holderOfName(name)).toBe('');
});

test('limits and memory are read from /proc', async () => {
  const { stdout } = await execa('sh', ['-c', 'ulimit -S -c; ulimit -H -n']);
  const [core, files] = stdout.split('\n');
  const bytes = (blocks: string) => (blocks === 'unlimited' ? blocks : String(Number(blocks) * 512));
  expect(limitOf('self', 'Max core file size')?.soft).toBe(bytes(core!));
  expect(limitOf('self', 'Max open files')?.hard).toBe(files);
  expect([limitOf('self', 'Max of nothing'), limitOf(2 ** 30, 'Max open files')]).toEqual([null, null]);
  expect(memoryInfo().get('MemTotal')).toBe(totalmem());
});
