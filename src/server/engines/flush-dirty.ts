import type { Sql } from '../../study/types.ts';

/** Lowered, the low-water mark first, since it may not be above the other one. */
const MARKS = ['innodb_max_dirty_pages_pct_lwm', 'innodb_max_dirty_pages_pct'];
/**
 * Raised, the ceiling first: the page cleaner writes about a third of `innodb_io_capacity` a second, 67 pages by default, whatever
 * the storage could take.
 */
const PACE = ['innodb_io_capacity_max', 'innodb_io_capacity'];
const PAGES_PER_SECOND = 20_000;

/**
 * Has InnoDB write its dirty pages out as fast as it can while `wait` waits; the variables are put back on every way out. A server
 * without InnoDB has none of them, and nothing to write.
 */
export async function whileFlushing<T>(sql: Sql, wait: () => Promise<T>): Promise<T> {
  const wanted = [...PACE, ...MARKS];
  const rows = await sql(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${wanted.map((name) => `'${name}'`).join(', ')})`,
  );
  const own = new Map(rows.map((row) => [String(row.Variable_name), Number(row.Value)]));
  const names = wanted.filter((name) => own.has(name));
  const set = (name: string, value: number) => sql(`SET GLOBAL ${name} = ${value}`);
  try {
    for (const name of names) await set(name, MARKS.includes(name) ? 0 : Math.max(own.get(name)!, PAGES_PER_SECOND));
    return await wait();
  } finally {
    for (const name of [...names].reverse()) await set(name, own.get(name)!);
  }
}
