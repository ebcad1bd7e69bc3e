import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyControls, applyStorage } from '../../src/host/apply.ts';
import { CONTROLS, hindranceSideBySide, inOrder } from '../../src/host/controls.ts';
import { setKernelFile } from '../../src/host/kernel/kernel-file.ts';
import { openLedger } from '../../src/host/kernel/ledger.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-duet-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it('every control is applied, from the widest scope to the narrowest, and the page cache last', () => {
  const order = inOrder();
  expect(order.map(([key]) => key).sort()).toEqual(Object.keys(CONTROLS).sort());
  expect(order[0]![1].scope).toBe('machine');
  expect(order.filter(([, { apply }]) => apply !== undefined).at(-1)![0]).toBe('pageCache');
});

it.each([
  [
    { transparentHugePages: 'always' },
    { transparentHugePages: 'never' },
    /transparentHugePages is one setting .*"always" and "never"/,
  ],
  [{ governor: 'performance' }, {}, /governor is one setting for the whole machine, .*"performance" and none/],
  [{ turbo: true }, { turbo: false }, /turbo/],
  [{ hugePages: '2M' }, { hugePages: '2M' }, /both halves of the duet ask for host.hugePages/],
  [{ transparentHugePages: 'never' }, { transparentHugePages: 'never' }, null],
  [{ hugePages: '2M' }, {}, null],
  [{ memoryLimit: '1G', storage: 'tmpfs', nice: 1 }, { memoryLimit: '2G', storage: '/x', nice: 2 }, null],
] as const)('%o beside %o', (one, other, sentence) => {
  const found = hindranceSideBySide(one, other);
  if (sentence === null) expect(found).toBeNull();
  else expect(found).toMatch(sentence);
});

it('two trials that share a setting restore it once, when the last of them ends', async () => {
  const file = join(folder, 'setting');
  await writeFile(file, 'before');
  const read = () => readFile(file, 'utf8');
  const [one, two, three] = [0, 1, 2].map((n) => openLedger(join(folder, `cache-${n}`))) as [
    ReturnType<typeof openLedger>,
    ReturnType<typeof openLedger>,
    ReturnType<typeof openLedger>,
  ];
  expect(await setKernelFile(file, 'wanted', one)).toEqual({ current: 'wanted' });
  expect(await setKernelFile(file, 'wanted', two)).toEqual({ current: 'wanted' });
  expect((await setKernelFile(file, 'other', three)).reason).toMatch(
    /another trial that runs now has set it to wanted/,
  );
  await one.revert();
  await one.revert();
  await three.revert();
  expect(await read()).toBe('wanted');
  await two.revert();
  expect(await read()).toBe('before');
  await setKernelFile(file, 'again', three);
  await three.revert();
  expect(await read()).toBe('before');
});

it('two trials on one storage have a directory each, and take away their own alone', async () => {
  const places = await Promise.all([1, 2, 3].map(() => applyStorage({ storage: folder }, join(folder, 'cache'))));
  const directories = places.map((place) => place!.directory);
  expect(new Set(directories).size).toBe(3);
  await places[0]!.revert();
  await expect(stat(directories[0]!)).rejects.toThrow('ENOENT');
  for (const directory of directories.slice(1)) expect((await stat(directory)).isDirectory()).toBe(true);
  for (const place of places) await place!.revert();
});

it.runIf(process.getuid?.() === 0)(
  'real limits of two trials side by side: one that ends does not touch the other',
  async () => {
    const place = { dataDirectory: folder, cacheDirectory: join(folder, 'cache') };
    const [one, two] = [
      await applyControls({ memoryLimit: '64M' }, place),
      await applyControls({ memoryLimit: '128M' }, place),
    ];
    await one.revert();
    expect(two.effective[0]?.effective).toBe('128 MiB');
    expect(Object.keys(await two.memoryUse())).toEqual(expect.arrayContaining(['pgfault']));
    await two.revert();
  },
);
