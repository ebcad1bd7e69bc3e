import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as api from '../../src/index.ts';
import { folderNameFault, isPlainPath, runsInOrder } from '../../src/lib/files/folder-names.ts';
import { runsOf } from '../../src/run/choose.ts';
import { loadStudy } from '../../src/study/load.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'benchbook-names-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each(['compare', 'Gallery', 'latest', '..', '.x', '-x', 'a@b', 'a:b', 'x ', 'x.', "it's", 'x'.repeat(151)])(
  'no study is called %j',
  async (name) => {
    const file = join(directory, `${name}.study.ts`);
    await writeFile(file, 'export default {}');
    await expect(loadStudy(file, api as never)).rejects.toMatchObject({
      code: 'study',
      message: expect.stringContaining('cannot be called'),
    });
  },
);

test('names of people and versions are names of studies', () => {
  for (const name of ['a-a', 'MDEV-33545', 'größe', '索引', 'a b', '10.11+patch', '_x', 'x_1'])
    expect(folderNameFault(name)).toBeNull();
});

test('a plain path leads nowhere else', () => {
  for (const path of ['a', 'data/x.csv', 'data/-x.csv', 'logs/0f.txt']) expect(isPlainPath(path)).toBe(true);
  for (const path of ['', '/a', '../a', 'a/../b', 'a//b', 'a/', './a', 'a\\b', 'a\nb', '-a', '.a'])
    expect(isPlainPath(path)).toBe(false);
});

test('a run of the future stands before all others, so that the newest one is of the past', async () => {
  const now = new Date('2026-12-01T00:00:00Z');
  const names = ['20350101T000000Z', '20261130T000000Z-2', '20261130T000000Z', '20350101T000000Z-2'];
  expect(runsInOrder(names, now)).toEqual([
    '20350101T000000Z',
    '20350101T000000Z-2',
    '20261130T000000Z',
    '20261130T000000Z-2',
  ]);
  const study = join(directory, 'runs');
  for (const name of ['29990101T000000Z', '20200101T000000Z']) {
    await mkdir(join(study, name), { recursive: true });
    await writeFile(join(study, name, 'journal.jsonl'), '');
  }
  expect((await runsOf(study))[0]).toBe(join(study, '20200101T000000Z'));
});
