import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Build } from '../../src/server/build.ts';
import { copyDataDirectory } from '../../src/server/data/copy.ts';
import { pristineDirectory } from '../../src/server/data/pristine.ts';
import { optionListOf } from '../../src/server/options/option-list.ts';
import { checkOptions } from '../../src/server/options/reserved-options.ts';
import { startServer } from '../../src/server/start.ts';
import type { Options } from '../../src/study/types.ts';
import { environment, freshServer, installedBuild, privateFolder } from './real.ts';
import { thrownBy } from './thrown.ts';

let build: Build;
let own: ReadonlySet<string>;

beforeAll(async () => {
  build = await installedBuild();
  own = (await optionListOf(build, environment.cacheDirectory))!;
}, 600_000);

function refusalOf(options: Options, env: Record<string, string> = {}, known: ReadonlySet<string> | null = null) {
  try {
    checkOptions({ options, env, known });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

it('the list of options is kept where this account alone can write', async () => {
  const cache = await mkdtemp(join(tmpdir(), 'benchbook-lists-'));
  try {
    const found = await optionListOf(await installedBuild(), cache);
    expect(found?.has('innodb_buffer_pool_size')).toBe(true);
    const lists = join(cache, 'option-lists');
    expect((await stat(lists)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(lists)) expect((await stat(join(lists, name))).mode & 0o777).toBe(0o600);
  } finally {
    await rm(cache, { recursive: true, force: true });
  }
}, 60_000);

describe('an option of Benchbook is refused however a server lets it be spelt', () => {
  const names = [
    ...['datadir', 'datadi', 'data', 'DATADIR', 'DataDi', 'loose_datadir', 'LOOSE-loose_DATADIR', 'loose-data'],
    ...['loose_enable_loose_datadi', 'skip-loose-datadir', 'maximum-datadir', 'plugin-loose-datadir'],
    ...[
      'log-error',
      'log-err',
      'log_e',
      'loose-Log_Err',
      'skip-log-error',
      'pid-f',
      'pid_file',
      'socke',
      'SOCKET',
      'tmpd',
    ],
    ...['basedi', 'plugin_di', 'loose-plugin-dir', 'use', 'user', 'chroo', 'boots', 'daemon', 'init_f', 'init-file'],
    ...['defaults-file', 'defaults_extra', 'loose-defaults-group-suffix', 'no_defaults', 'print-def', 'login-path'],
    ...['initialize', 'initialize_insec', 'hel', 'verb', 'versio', 'validate-config', 'log-basename', 'log_base'],
    ...[
      'skip_networking',
      'skip-net',
      'SKIP-Networking',
      'loose_skip_networking',
      'enable-skip-networking',
      'skip_skip_net',
    ],
    ...[
      'port',
      'por',
      'loose_port',
      'bind-address',
      'bind',
      'BIND_ADDR',
      'extra_port',
      'extra-p',
      'admin-addr',
      'admin_port',
    ],
    // MariaDB takes what stands before a dot for the name of a key cache, and leaves it out.
    ...['a.datadir', 'a.log_err', 'x.y.extra_port', 'loose-a.init-file', 'A.LOOSE_plugin-dir', 'loose.bind_addr'],
    ...['mysqlx', 'skip-mysqlx', 'mysqlx-bind', 'mysqlx_port', 'mysqlx-sock', 'wsrep_provider', 'wsrep-cluster-addr'],
  ];
  it.each(names)('%s', (name) => {
    for (const known of [null, own]) {
      for (const value of ['x', 1, true, false]) {
        expect(refusalOf({ [name]: value }, {}, known)).toContain(
          'is set by Benchbook itself and cannot be set by a study.',
        );
      }
    }
  });

  it('says which option a name means', () => {
    expect(refusalOf({ 'LOOSE-datadi': 'x' })).toBe(
      'The option "LOOSE-datadi", which means "datadir" here, is set by Benchbook itself and cannot be set by a study.',
    );
  });
});

it('a name is refused that would end elsewhere where the server or the system reads it', () => {
  for (const name of ['log_error=/x', 'general_log_file=/x/y', 'a b', 'x\0', '', '-h', 'datadir=']) {
    for (const value of ['x', true]) expect(refusalOf({ [name]: value })).toContain(' is no name of an option');
  }
  expect(refusalOf({ general_log_file: 'x\0y' })).toContain('NUL');
  for (const name of ['TMPDIR=/x', 'HOME=/x', '', 'A\0B'])
    expect(refusalOf({}, { [name]: 'y' })).toContain('cannot be set: a name is not empty and holds no "="');
  expect(refusalOf({}, { A: 'y\0z' })).toContain('NUL');
  expect(refusalOf({ 'hot.key_buffer_size': '1M', 'validate_password.policy': 'LOW' })).toBeNull();
});

it('a path out of the data directory is refused in any option, and one inside is not', () => {
  const outside: Options[] = [
    { innodb_data_home_dir: '/x' },
    { innodb_data_home: '/x' },
    { plugin_innodb_data_home_dir: '/x' },
    { innodb_data_file_path: 'ibdata1:10M;/x/ibdata2:10M:autoextend' },
    { 'innodb-log-group-home-dir': '../x' },
    { innodb_undo_directory: './a/../../x' },
    { innodb_temp_data_file_path: '../t:12M' },
    { log_bin: '/x/bin' },
    { general_log_file: '~/general.log' },
    { general_log_file: 'a/~/general.log' },
    { slave_load_tmpdir: 'a:/x' },
    { plugin_load: 'x=/x/y.so' },
    { plugin_load_add: '../../y.so' },
    { loose_rocksdb_wal_dir: '//x' },
    { debug: 'd:t:o,/x/trace' },
    { server_audit_file_path: '/x/audit.log' },
    { keyring_file_data: '/x' },
  ];
  for (const options of outside) {
    for (const known of [null, own])
      expect(refusalOf(options, {}, known), JSON.stringify(options)).toContain('leads out of');
  }
  const inside: Options = {
    innodb_data_home_dir: './more',
    innodb_data_file_path: 'ibdata1:12M;ibdata2:12M:autoextend',
    log_bin: 'bin',
    init_connect: "SET @a = '/x'",
    ssl_ca: '/etc/ssl/ca.pem',
    default_time_zone: 'Europe/Berlin',
    ft_boolean_syntax: '+ -><()~*:""&|',
    feedback_url: 'https://example.org/x',
    lc_messages: 'de_DE',
    loose_nonsense: 'a/b',
    plugin_maturity: 'unknown',
    skip_name_resolve: true,
    log_error_verbosity: 3,
  };
  expect(refusalOf(inside)).toBeNull();
  expect(refusalOf(inside, {}, own)).toBeNull();
});

it('no option of a server but the reserved ones is taken for one of them', () => {
  const refused = [...own].filter((name) => refusalOf({ [name]: 'x' }, {}, own) !== null);
  expect([...own].filter((name) => refusalOf({ [name]: 'x' }) !== null)).toEqual(refused);
  expect(refused.length).toBeGreaterThan(15);
  expect(refused.length).toBeLessThan(45);
  for (const name of ['lc_messages', 'log_bin', 'innodb_file_per_table', 'plugin_load_add', 'port_open_timeout'])
    expect(refused).not.toContain(name);
});

it('a variable of the environment that acts as an option is refused', () => {
  for (const name of ['MYSQL_HOME', 'MARIADB_HOME', 'MYSQL_TEST_LOGIN_FILE', 'UMASK', 'UMASK_DIR', 'MYSQL_TCP_PORT'])
    expect(refusalOf({}, { [name]: '/x' })).toContain(`The environment variable "${name}" changes where or how`);
  for (const name of ['HOME', 'TMPDIR', 'MYSQL_GROUP_SUFFIX', 'MYSQLX_UNIX_PORT', 'LISTEN_FDS', 'NOTIFY_SOCKET'])
    expect(refusalOf({}, { [name]: '1' })).toContain(`"${name}"`);
  expect(refusalOf({}, { LD_PRELOAD: '/usr/lib/libjemalloc.so.2', TOKU_HUGE_PAGES_OK: '1' })).toBeNull();
});

it('a real server neither runs on nor changes a directory that is not its own', async () => {
  const foreign = await privateFolder();
  await copyDataDirectory(await pristineDirectory(build, {}, environment), foreign);
  const stateOf = async () => {
    const names = (await readdir(foreign, { recursive: true })).sort();
    const stats = await Promise.all(names.map((name) => stat(join(foreign, name))));
    return names.map((name, index) => `${name} ${stats[index]!.size} ${stats[index]!.mtimeMs}`);
  };
  const before = await stateOf();
  for (const name of [
    'datadi',
    'LOOSE-loose_DATADIR',
    'a.datadir',
    'innodb_data_home',
    'plugin-innodb-log-group-home-dir',
  ]) {
    const error = await thrownBy(freshServer(build, { options: { [name]: foreign } }));
    expect(error).toMatchObject({ outcome: 'failed', code: 'study' });
  }
  expect(await stateOf()).toEqual(before);
}, 60_000);

it('what is left of the user environment does not reach the server, and it opens no port', async () => {
  process.env.MYSQL_HOME = '/x';
  process.env.UMASK = '0777';
  try {
    const server = await freshServer(build);
    const environ = await readFile(`/proc/${server.pid}/environ`, 'latin1');
    const argv = server.argv.slice(server.argv.indexOf('--no-defaults'));
    await server.stop('crash');
    expect(environ).not.toMatch(/MYSQL_HOME|UMASK|HOME=/);
    expect(argv).toContain('--skip-networking');
  } finally {
    delete process.env.MYSQL_HOME;
    delete process.env.UMASK;
  }
  const dataDirectory = await privateFolder();
  const error = await thrownBy(
    startServer(build, { dataDirectory, options: { skip_networking: false }, startSeconds: 5 }),
  );
  expect(error.message).toBe('The option "skip_networking" is set by Benchbook itself and cannot be set by a study.');
}, 60_000);
