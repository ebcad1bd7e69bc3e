import { MEASUREMENTS } from './kinds/list.ts';

type Words = { readonly [M in (typeof MEASUREMENTS)[number] as M['kind']]: M['declare'] };

/**
 * How metrics are obtained. Each word checks its options and returns plain data, apart from the functions of `custom` and
 * `command`. All values are in base units: seconds, bytes, counts, and their rates.
 * @throws BenchbookError `study` for a wrong option, with the option's name and an example
 * @example
 * measurements: {
 *   startup: measure.startup(),
 *   scan: measure.around(measure.query('SELECT COUNT(*) FROM t'), [measure.status(['Innodb_pages_read'])]),
 * }
 */
export const measure = Object.fromEntries(MEASUREMENTS.map(({ kind, declare }) => [kind, declare])) as Words;
