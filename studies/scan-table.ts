import { dataset, load, type servers } from 'benchbook';

/** The statement of MDEV-30986, and what it returns. */
export const SCAN = 'SELECT DISTINCT(c1) FROM tp';
export const DAYS = [{ c1: '2023-01-01' }, { c1: '2023-01-02' }];

export const COLUMNS = 'id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)';
/** All rows lie in `prest`. */
export const PARTITIONS = `PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874),
  PARTITION p2 VALUES LESS THAN (735240), PARTITION prest VALUES LESS THAN (1000000))`;

interface ScanTable {
  readonly rows: number;
  readonly partitions: string;
  /** In the order of the key, where the ticket's table has the later date first. */
  readonly inKeyOrder?: boolean;
  /** One build makes the data for all, so that they read the very same pages. */
  readonly preparedBy: ReturnType<typeof servers.git> | ReturnType<typeof servers.debian>;
}

/** The ticket's table in its order of insertion, or with the same rows in the order of the key. */
export function scanTable({ rows, partitions, inKeyOrder = false, preparedBy }: ScanTable) {
  const [first, second] = inKeyOrder ? ['2023-01-01', '2023-01-02'] : ['2023-01-02', '2023-01-01'];
  return dataset({
    name: `scan-${rows}-${partitions === '' ? 'plain' : 'partitioned'}${inKeyOrder ? '-in-key-order' : ''}`,
    schema: `CREATE TABLE tp (${COLUMNS}) ENGINE=InnoDB DEFAULT CHARSET=latin1 ${partitions}`,
    load: load.rows('tp', rows, {
      id: '1 + n DIV 2',
      c1: `IF(n % 2 = 0, '${first}', '${second}')`,
      c2: '1 + n % 2',
      c3: "REPEAT(IF(n % 2 = 0, 'a', 'b'), 2000)",
    }),
    order: inKeyOrder
      ? 'two rows for each id, in the order of the key'
      : 'two rows for each id, the later date first, so that every second row is inserted before the last one',
    // Out of order, each second row goes before its predecessor and splits the page; in order pages hold seven rows. Empty partitions have one.
    leafPages: { tp: (inKeyOrder ? Math.ceil(rows / 7) + 1 : rows / 4) + (partitions === '' ? 0 : 2) },
    preparedBy,
    readOnly: true,
  });
}
