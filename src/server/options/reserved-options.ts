import { BenchbookError, type Place } from '../../lib/errors.ts';
import type { Options } from '../../study/types.ts';
import { matchOption } from './option-list.ts';
import { optionName } from './spelling.ts';

/**
 * Options that a study cannot set: they say where the server keeps its own files and ours, whether it serves at all, who
 * can reach it, and what runs before the trial begins.
 */
const RESERVED: readonly string[] = [
  ...['basedir', 'chroot', 'datadir', 'log_basename', 'log_error', 'pid_file', 'plugin_dir', 'tmpdir', 'user'],
  ...['bootstrap', 'console', 'daemonize', 'gdb', 'help', 'initialize', 'initialize_insecure', 'print_defaults'],
  ...['defaults_extra_file', 'defaults_file', 'defaults_group_suffix', 'login_path', 'no_defaults', 'no_login_paths'],
  ...['tc_heuristic_recover', 'validate_config', 'verbose', 'version', 'wsrep_recover'],
  ...['init_file', 'init_file_only', 'wsrep_notify_cmd'],
  ...['admin_address', 'admin_port', 'bind_address', 'extra_port', 'port', 'skip_networking', 'socket'],
  ...['mysqlx', 'mysqlx_bind_address', 'mysqlx_port', 'mysqlx_socket'],
  ...['daemon_memcached_option', 'group_replication_local_address', 'group_replication_start_on_boot'],
  ...[
    'handlersocket_address',
    'handlersocket_port',
    'handlersocket_port_wr',
    'wsrep_cluster_address',
    'wsrep_provider',
  ],
  ...['keyring_migration_destination', 'keyring_migration_host', 'keyring_migration_port', 'keyring_migration_socket'],
  ...['keyring_migration_from_component', 'keyring_migration_source', 'keyring_migration_to_component'],
];

/** Options whose text is SQL, which only writes where the server itself may. */
const SQL_TEXTS = new Set(['init_connect', 'init_replica', 'init_slave']);

/** Options that name files or folders which the server only reads, or to which it confines its clients. */
const READ_ONLY_PATHS =
  /^((admin_|mysqlx_)?ssl_(ca|capath|cert|crl|crlpath|key)|(caching_)?sha2?(56)?_password_(private|public)_key_path|des_key_file|file_key_management_file(name|key)|ft_stopword_file|secure_file_priv|(validate_password|cracklib_password_check)_dictionary(_file)?)$/;

/** Variables of the environment that act as options, or say where files go and with which rights. */
const RESERVED_ENVIRONMENT =
  /^(MYSQL|MYSQLD|MYSQLX|MARIADB|MARIADBD)(_|$)|^(HOME|LISTEN_FDNAMES|LISTEN_FDS|LISTEN_PID|NOTIFY_SOCKET|TEMP|TMP|TMPDIR|UMASK|UMASK_DIR)$/;

interface Request {
  readonly options: Options;
  readonly env?: Readonly<Record<string, string>>;
  /** The server's own list of options; without it, every name that some server could take for a reserved one is refused. */
  readonly known: ReadonlySet<string> | null;
  /** Where in the study a word stands. */
  readonly placeOf?: (word: string) => Place;
}

/**
 * Refuses what would take the server out of our hands, however it is spelt.
 *
 * @throws BenchbookError('study') that names the option or variable, and what a study can do instead.
 */
export function checkOptions({ options, env = {}, known, placeOf }: Request): void {
  const refuse = (word: string, sentence: string, hint: string): never => {
    const place = placeOf === undefined ? {} : { place: placeOf(word) };
    throw new BenchbookError('study', sentence, { hint, outcome: 'failed', ...place });
  };
  for (const [written, value] of Object.entries(options)) {
    if (!OPTION_NAME.test(written)) {
      const sentence = `"${written}" is no name of an option: a name has letters, digits, dashes, underscores and dots only.`;
      refuse(written, sentence, 'Write the name and the value apart: options: { innodb_buffer_pool_size: "1G" }.');
    }
    if (typeof value === 'string' && value.includes('\0')) {
      const sentence = `The value of the option "${written}" holds a NUL character, which no command line can carry.`;
      refuse(written, sentence, 'Remove the NUL character from the value.');
    }
    const reserved = reservedBy(written, known);
    if (reserved !== null) {
      const also = optionName(written).replace(/^loose_/, '') === reserved ? '' : `, which means "${reserved}" here,`;
      const sentence = `The option "${written}"${also} is set by Benchbook itself and cannot be set by a study.`;
      refuse(written, sentence, 'Remove it from the options of "setup".');
    }
    if (typeof value === 'string' && leadsOutside(written, value)) {
      refuse(
        written,
        `The option "${written}" has a path that leads out of the data directory of the trial: "${value}".`,
        'Write a path relative to the data directory; "host.storage" of "setup" puts the whole directory elsewhere.',
      );
    }
  }
  for (const [name, value] of Object.entries(env)) {
    if (/^$|[=\0]/.test(name) || String(value).includes('\0')) {
      const sentence = `The environment variable ${JSON.stringify(name)} cannot be set: a name is not empty and holds no "=", and neither name nor value holds a NUL character.`;
      refuse(name, sentence, 'Write the name and the value apart in the "env" of "setup".');
    }
    if (!RESERVED_ENVIRONMENT.test(name)) continue;
    const sentence = `The environment variable "${name}" changes where or how the server runs and cannot be set by a study.`;
    refuse(name, sentence, 'Remove it from the "env" of "setup".');
  }
}

/** Another sign, such as "=", would end the name where the server reads it, and name another option than the one that was checked. */
const OPTION_NAME = /^\s*(--)?[a-z\d][\w.-]*\s*$/i;

/**
 * The reserved option that a server would take this name for, or null. MariaDB leaves out the name of a key cache before
 * the first dot, whether or not the option belongs to a cache.
 */
function reservedBy(written: string, known: ReadonlySet<string> | null): string | null {
  const name = optionName(written);
  const names = [name, name.slice(name.indexOf('.') + 1), name.slice(name.lastIndexOf('.') + 1)];
  const all = new Set([...RESERVED, ...(known ?? [])]);
  const candidates = names.flatMap((each) => matchOption(each, all, known !== null));
  return candidates.find((name) => RESERVED.includes(name)) ?? null;
}

/** Whether a value holds a path, alone or in a list, that is absolute, in a home folder, or above the data directory. */
function leadsOutside(written: string, value: string): boolean {
  const name = optionName(written).replace(/^(loose_)+/, '');
  if (SQL_TEXTS.has(name) || READ_ONLY_PATHS.test(name)) return false;
  const text = value.replaceAll(/\bhttps?:\/\//gi, '');
  return /(^|[:;,=\s'"])(\/|~)/.test(text) || /(^|[/:;,=\s'"])(\.\.|~)(\/|$)/.test(text);
}
