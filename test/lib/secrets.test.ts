import { describe, expect, test } from 'vitest';
import { withoutSecrets, withoutSecretValues } from '../../src/lib/secrets.ts';

describe('secrets in texts', () => {
  test.each([
    ['mysql://u:hunter2@h:3306/d', 'mysql://u:***@h:3306/d'],
    ['mysql://u:p@ss/w:rd@h/d', 'mysql://u:***@h/d'],
    ['mysql://u@h/d?socket=/x', 'mysql://u@h/d?socket=/x'],
    ['--password=hunter2 --port=3306', '--password=*** --port=3306'],
    ["--mysql-password='a b' x", "--mysql-password='***' x"],
    ['--password hunter2 --x', '--password *** --x'],
    ['MYSQL_PWD=hunter2 mysql', 'MYSQL_PWD=*** mysql'],
    ['mysql -u root -phunter2 db', 'mysql -u root -p*** db'],
    ["password: 'hunter2', user: 'u'", "password: '***', user: 'u'"],
    ['{"token":"abc","n":1}', '{"token":"***","n":1}'],
    ["CREATE USER a IDENTIFIED BY 'it''s'", "CREATE USER a IDENTIFIED BY '***'"],
    [
      "IDENTIFIED WITH mysql_native_password AS '*6BB4837EB74329105EE4568DDA7DC67ED2CA2AD9'",
      "IDENTIFIED WITH mysql_native_password AS '***'",
    ],
    ["SET PASSWORD FOR 'a'@'b' = PASSWORD('x1')", "SET PASSWORD FOR 'a'@'b' = PASSWORD('***')"],
    ['Authorization: Bearer abc.def', 'Authorization: Bearer ***'],
    ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', '***'],
    ['t=eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl;', 't=***;'],
    ['eyJx.-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'eyJx.-***'],
    ['http://h/x?u=mysql://u:hunter2@h/d', 'http://h/x?u=mysql://u:***@h/d'],
    ['jdbc:mysql://u:hunter2@h/d, mysql://v:hunter3@h', 'jdbc:mysql://u:***@h/d, mysql://v:***@h'],
    ["mysql -u root -p'hunter 2' db", "mysql -u root -p'***' db"],
    ['mysqladmin "-phunter2" ping', 'mysqladmin "-p***" ping'],
    [
      'mysqlbinlog -phunter2; mysql_upgrade -phunter3; mycli -phunter4',
      'mysqlbinlog -p***; mysql_upgrade -p***; mycli -p***',
    ],
    ["ALTER USER a IDENTIFIED BY 'new' REPLACE 'old'", "ALTER USER a IDENTIFIED BY '***' REPLACE '***'"],
    ["IDENTIFIED VIA ed25519 USING 'hunter2'", "IDENTIFIED VIA ed25519 USING '***'"],
    ["OPTIONS (USER 'u', PASSWORD 'hunter2')", "OPTIONS (USER 'u', PASSWORD '***')"],
    ["argv: ['--password', 'hunter2']", "argv: ['--password', '***']"],
    ["password => 'hunter2'", "password => '***'"],
    ['u:hunter2@tcp(h:3306)/d', 'u:***@tcp(h:3306)/d'],
    ['https://0123456789abcdef0123@h/x', 'https://***@h/x'],
    [
      'a temporary password is generated for root@localhost: hunter2',
      'a temporary password is generated for root@localhost: ***',
    ],
    ['s3_secret_key=hunter2 --encryption-key=hunter2', 's3_secret_key=*** --encryption-key=***'],
    ['DB_PASS=hunter2 MYSQL_PWD=123456', 'DB_PASS=*** MYSQL_PWD=***'],
    ["IDENTIFIED BY '123456'", "IDENTIFIED BY '***'"],
    ["{ dbPassword: 'hunter2' }", "{ dbPassword: '***' }"],
    [
      'mysql -u x -phunter2 ; mysqldump -phunter3 db | cat -print',
      'mysql -u x -p*** ; mysqldump -p*** db | cat -print',
    ],
    [
      '--a-very-long-prefix-of-an-option-that-has-more-than-60-characters-password=hunter2',
      '--a-very-long-prefix-of-an-option-that-has-more-than-60-characters-password=***',
    ],
  ])('%s', (text, wanted) => {
    expect(withoutSecrets(text)).toBe(wanted);
    expect(withoutSecrets(wanted)).toBe(wanted);
  });

  test.each([
    'old_passwords=OFF, max_password_errors=4294967295',
    "Access denied for user 'a'@'b' (using password: YES)",
    'password: process.env.PW',
    'https://jira.mariadb.org/browse/MDEV-1',
    'mysqld: ready for connections. port: 3306',
    'sysbench oltp_read_only --mysql-socket=/x -p',
    'CREATE TABLE t (id int primary key, k int, key(k))',
    'innodb_encryption_threads=4',
    'error near token: 17',
    'https://jira.mariadb.org/browse/MDEV-1?a=b@c',
    'ssh://git@github.com/x',
  ])('%s stays', (text) => expect(withoutSecrets(text)).toBe(text));
});

test('secrets in fields, settings and words of a command line', () => {
  const value = {
    password: 'hunter2',
    old_passwords: 'OFF',
    settings: [{ name: 'report_password', requested: 'hunter2', effective: 'hunter2' }],
    argv: ['/usr/bin/mysql', '-phunter2', '--password', 'hunter2', '--port=1'],
    variables: { report_password: 'hunter2', default_password_lifetime: '0' },
    values: [1, 2],
    dbPassword: 'hunter2',
    pwd: 1234567,
    tokens: 17,
  };
  const found: string[] = [];
  const masked = withoutSecretValues(value, (secret) => void found.push(secret));
  expect(JSON.stringify(masked)).not.toContain('hunter2');
  expect(masked.old_passwords).toBe('OFF');
  expect(masked.variables.default_password_lifetime).toBe('0');
  expect(masked.argv.at(-1)).toBe('--port=1');
  expect(masked.pwd).toBe('***');
  expect(masked.tokens).toBe(17);
  expect(found).toEqual([...Array(7).fill('hunter2'), '1234567']);
});
