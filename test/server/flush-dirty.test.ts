import { expect, test } from 'vitest';
import { whileFlushing } from '../../src/server/engines/flush-dirty.ts';
import type { Sql } from '../../src/study/types.ts';

/** A server with these variables, and what it was told. */
function serverWith(variables: Readonly<Record<string, string>>) {
  const told: string[] = [];
  const run = async (text: string) => {
    if (text.startsWith('SET')) told.push(text.replace('SET GLOBAL innodb_', ''));
    return text.startsWith('SHOW')
      ? Object.entries(variables).map(([name, Value]) => ({ Variable_name: name, Value }))
      : [];
  };
  return { told, sql: run as unknown as Sql };
}

test('limits are lowered and raised in the order that the server allows, and put back where the wait fails', async () => {
  const { told, sql } = serverWith({
    innodb_io_capacity: '200',
    innodb_io_capacity_max: '90000',
    innodb_max_dirty_pages_pct: '90.000000',
    innodb_max_dirty_pages_pct_lwm: '10.000000',
  });
  await expect(whileFlushing(sql, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(told).toEqual([
    'io_capacity_max = 90000',
    'io_capacity = 20000',
    'max_dirty_pages_pct_lwm = 0',
    'max_dirty_pages_pct = 0',
    'max_dirty_pages_pct = 90',
    'max_dirty_pages_pct_lwm = 10',
    'io_capacity = 200',
    'io_capacity_max = 90000',
  ]);
});

test('a server without InnoDB is told nothing', async () => {
  const { told, sql } = serverWith({});
  expect(await whileFlushing(sql, async () => 'waited')).toBe('waited');
  expect(told).toEqual([]);
});
