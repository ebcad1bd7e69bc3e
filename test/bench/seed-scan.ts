// The scan of MDEV-30986 as its reporter ran it, for the benches against mtr: bookworm's build with its test suite, the table,
// and the test file. Bundled into a study too, so it imports nothing.

/** Bookworm's server together with its test suite: one build for mtr and for Benchbook. */
export const SUITE = 'bookworm';
export const PACKAGES = [
  'mariadb-server-core',
  'mariadb-test',
  'mariadb-test-data',
  'mariadb-client-core',
  'mariadb-server',
  'mariadb-client',
] as const;

export const COLUMNS = 'id INT, c1 DATE, c2 INT, c3 TEXT, PRIMARY KEY (id, c1)';
export const PARTITIONS = `PARTITION BY RANGE (TO_DAYS(c1)) (PARTITION p1 VALUES LESS THAN (734874),
  PARTITION p2 VALUES LESS THAN (735240), PARTITION prest VALUES LESS THAN (1000000))`;
export const TABLE = `CREATE TABLE tp (${COLUMNS}) ENGINE=InnoDB ${PARTITIONS}`;
/** Row by row, the later date first: every second row is inserted before the last one, and pages stay half full. */
export const LOAD = `BEGIN NOT ATOMIC START TRANSACTION; FOR i IN 1..50000 DO
  INSERT INTO tp VALUES (i, '2023-01-02', 1, REPEAT('a', 2000));
  INSERT INTO tp VALUES (i, '2023-01-01', 2, REPEAT('b', 2000));
  END FOR; COMMIT; END`;
export const SCAN = 'SELECT DISTINCT(c1) FROM tp PARTITION (prest)';
/** What a scan accesses in this layout; in key order it would be little more than half. */
export const PAGES = 25_002;

/** The test: table, rows, slow shutdown, restart, the scan twice. */
export const TEST = `--source include/have_innodb.inc
--source include/have_partition.inc
--disable_query_log
--disable_result_log
${TABLE};
DELIMITER ||;
${LOAD}||
DELIMITER ;||
--enable_result_log
SHOW GLOBAL VARIABLES;
--disable_result_log
SET GLOBAL innodb_fast_shutdown=0;
--source include/restart_mysqld.inc
--enable_result_log
ANALYZE FORMAT=JSON ${SCAN};
ANALYZE FORMAT=JSON ${SCAN};
--disable_result_log
DROP TABLE tp;
`;

/**
 * Without dump and load of the pool: else it is filled beside the first scan, from whatever ran before, and the counts of pages
 * differ between any two runs.
 */
export const NO_DUMP = {
  innodb_buffer_pool_dump_at_shutdown: 'OFF',
  innodb_buffer_pool_load_at_startup: 'OFF',
} as const;

/** What mtr switches on and no variable shows. */
export const INSTRUMENTS: Readonly<Record<string, string>> = {
  performance_schema_instrument: '%=ON',
  ...Object.fromEntries(
    ['stages', 'statements', 'transactions', 'waits'].flatMap((kind) =>
      ['current', 'history', 'history_long'].map((kept) => [
        `performance_schema_consumer_events_${kind}_${kept}`,
        'ON',
      ]),
    ),
  ),
};

/** Options of mtr that hand these to the server. */
export function mtrOptions(options: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(options).map(([name, value]) => `--mysqld=--${name.replaceAll('_', '-')}=${value}`);
}

/** What SHOW GLOBAL VARIABLES printed in the output of mtr. */
export function variablesIn(output: string): ReadonlyMap<string, string> {
  const rows = [...output.matchAll(/^(\w+)\t(.*)$/gm)].map((match) => [match[1]!, match[2]!] as const);
  return new Map(rows.filter(([name]) => name !== 'Variable_name'));
}

/** Names of variables that differ, but for places, names, network, and what only a replica or a cluster has. */
export function differing(
  theirs: ReadonlyMap<string, string>,
  ours: ReadonlyMap<string, string>,
): readonly (readonly [name: string, mtr: string, here: string | undefined])[] {
  const elsewhere =
    /(_dir|_directory|_path|home|filename|_file|basename|_index|tmpdir|datadir|basedir|socket|port|pid_file)$|^(version|ssl_|have_|relay_|slave_|wsrep_|report_|log_error|server_uid|bind_address|skip_networking|secure_file_priv|plugin_maturity|storage_engine|core_file|lc_messages_dir|hostname|open_files_limit|slow_query_log)/;
  return [...theirs]
    .filter(([name, value]) => !elsewhere.test(name) && ours.get(name) !== value)
    .map(([name, value]) => [name, value, ours.get(name)] as const);
}

/** "1.24 (1.20 to 1.31)": median and range. */
export function spread(values: readonly number[]): string {
  const shown = (value: number) => (Number.isInteger(value) && value > 100 ? String(value) : value.toFixed(3));
  return `${shown(median(values))} (${shown(Math.min(...values))} to ${shown(Math.max(...values))})`;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return (sorted[(sorted.length - 1) >> 1]! + sorted[sorted.length >> 1]!) / 2;
}
