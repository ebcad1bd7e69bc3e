import type { ServerFamily } from './family.ts';

export const mariadb: ServerFamily = {
  name: 'mariadb',
  title: 'MariaDB',
  hasVersion: (version) => /mariadb/i.test(version),
  arguments: () => [],
  renamings: [
    { from: /^key_buffer$/, to: 'key_buffer_size', since: 0 },
    { from: /^tx_isolation$/, to: 'transaction_isolation', since: 0 },
    { from: /^tx_read_only$/, to: 'transaction_read_only', since: 0 },
  ],
  versionFile: (version) => (Number.parseInt(version, 10) >= 11 ? 'mariadb_upgrade_info' : 'mysql_upgrade_info'),
  createsSystemTables: false,
  exchangesSystemTables: true,
  describeVariables: `SELECT VARIABLE_NAME AS name, VARIABLE_TYPE AS type, ENUM_VALUE_LIST AS words, VARIABLE_COMMENT AS comment
       FROM information_schema.SYSTEM_VARIABLES`,
  // Since 10.5.7 and 10.4.16.
  awaitPurge: 'SET GLOBAL innodb_max_purge_lag_wait=0',
  historyLeft: 0,
  nativeAio: null,
  directIoSince: [10, 6],
  analyze: 'analyze json',
  insertRows: ({ table, columns, values, count }) => [
    `INSERT INTO ${table} (${columns}) SELECT ${values} FROM (SELECT seq AS n FROM seq_0_to_${count - 1}) AS numbers ORDER BY n`,
  ],
};
