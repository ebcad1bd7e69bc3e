import type { Sql } from '../study/types.ts';

/** Lowered, the low-water mark first, since it may not be above the other one. */
const MARKS = ['innodb_max_dirty_pages_pct_lwm', 'innodb_max_dirty_pages_pct'] as const;
/**
 * Raised, the ceiling first: the page cleaner writes about a third of `innodb_io_capacity` a second, 67 pages by default, whatever
 * the storage could take.
 */
const PACE = ['innodb_io_capacity_max', 'innodb_io_capacity'] as const;
const PAGES_PER_SECOND = 20_000;

/** Has InnoDB write its dirty pages out as fast as it can while `wait` waits; the variables are put back on every way out. */
export async function whileFlushing<T>(sql: Sql, wait: () => Promise<T>): Promise<T> {
  const names = [...MARKS, ...PACE];
  const [before] = await sql(`SELECT ${names.map((name) => `@@GLOBAL.${name} AS ${name}`).join(', ')}`);
  const own = (name: (typeof names)[number]) => Number(before![name]);
  const set = (name: (typeof names)[number], value: number) => sql(`SET GLOBAL ${name} = ${value}`);
  try {
    for (const name of PACE) await set(name, Math.max(own(name), PAGES_PER_SECOND));
    for (const name of MARKS) await set(name, 0);
    return await wait();
  } finally {
    for (const name of [...names].reverse()) await set(name, own(name));
  }
}
