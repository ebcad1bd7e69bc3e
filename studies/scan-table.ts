import { dataset, load, type servers } from 'benchbook';

/** The statement of MDEV-30986, and what it returns. */
export const SCAN = 'SELECT DISTINCT(c1) FROM tp';
export const DAYS = [{ c1: '2023-01-01' }, { c1: '2023-01-02' }];

export const COLUMNS = 'id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)';
/** All rows lie in `prest`. */
export const PARTITIONS = `PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874),
  PARTITION p2 VALUES LESS THAN (735240), PARTITION prest VALUES LESS THAN (1000000))`;

/** The ticket's table in its order of insertion; where `preparedBy` is given, all builds read the very same pages. */
export function scanTable(rows: number, partitions: string, preparedBy?: ReturnType<typeof servers.git>) {
  return dataset({
    name: `scan-${rows}-${partitions === '' ? 'plain' : 'partitioned'}`,
    schema: `CREATE TABLE tp (${COLUMNS}) ENGINE=InnoDB DEFAULT CHARSET=latin1 ${partitions}`,
    load: load.rows('tp', rows, {
      id: '1 + n DIV 2',
      c1: "IF(n % 2 = 0, '2023-01-02', '2023-01-01')",
      c2: '1 + n % 2',
      c3: "REPEAT(IF(n % 2 = 0, 'a', 'b'), 2000)",
    }),
    order: 'two rows for each id, the later date first, so that every second row is inserted before the last one',
    // Pages would hold more rows, but each second row goes before its predecessor and splits them.
    leafPages: { tp: rows / 4 + 2 },
    ...(preparedBy === undefined ? {} : { preparedBy }),
    readOnly: true,
  });
}
