import type { ServerFamily } from './family.ts';

export const mysql: ServerFamily = {
  name: 'mysql',
  title: 'MySQL',
  hasVersion: (version) => !/mariadb/i.test(version),
  // MySQL 8 and later open a second protocol, and require a folder for files unless `secure_file_priv` is empty.
  arguments: (version) => (Number.parseInt(version, 10) < 8 ? [] : ['--mysqlx=OFF', '--secure-file-priv=']),
  renamings: [
    { from: /^log_slave_updates$/, to: 'log_replica_updates', since: 80026 },
    { from: /^slave_(?!type_conversions_old)(.*)$/, to: 'replica_$1', since: 80026 },
    { from: /^skip_slave_start$/, to: 'skip_replica_start', since: 80026 },
    { from: /^master_verify_checksum$/, to: 'source_verify_checksum', since: 80026 },
    { from: /^sync_master_info$/, to: 'sync_source_info', since: 80026 },
    { from: /^key_buffer$/, to: 'key_buffer_size', since: 0 },
    { from: /^tx_isolation$/, to: 'transaction_isolation', since: 0 },
    { from: /^tx_read_only$/, to: 'transaction_read_only', since: 0 },
  ],
  versionFile: () => null,
  createsSystemTables: true,
  exchangesSystemTables: false,
  describeVariables: null,
  awaitPurge: null,
  // MySQL always keeps a few entries. Less than a page of undo cannot disturb a measurement.
  historyLeft: 50,
  nativeAio: 'libaio',
  directIoSince: [8, 4],
  analyze: 'explain analyze',
  insertRows: ({ table, columns, values, count }) => [
    `SET SESSION cte_max_recursion_depth = ${count + 1}`,
    `INSERT INTO ${table} (${columns}) WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1}) SELECT ${values} FROM numbers`,
  ],
};
