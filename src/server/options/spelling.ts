import type { Family } from '../build.ts';

/** Whose spelling is wanted. */
export interface Speaker {
  readonly family: Family;
  readonly version: string;
}

interface Renaming {
  readonly from: RegExp;
  readonly to: string;
  readonly family: Family;
  /** First version, as major·10000 + minor·100 + patch, that knows the new name. */
  readonly since: number;
}

/**
 * Options that mean the same under another name. Options that merely resemble each other (`innodb_log_file_size` and
 * `innodb_redo_log_capacity`) are not here: a study must say which it means.
 */
const RENAMINGS: readonly Renaming[] = [
  { from: /^log_slave_updates$/, to: 'log_replica_updates', family: 'mysql', since: 80026 },
  { from: /^slave_(?!type_conversions_old)(.*)$/, to: 'replica_$1', family: 'mysql', since: 80026 },
  { from: /^skip_slave_start$/, to: 'skip_replica_start', family: 'mysql', since: 80026 },
  { from: /^master_verify_checksum$/, to: 'source_verify_checksum', family: 'mysql', since: 80026 },
  { from: /^sync_master_info$/, to: 'sync_source_info', family: 'mysql', since: 80026 },
  { from: /^key_buffer$/, to: 'key_buffer_size', family: 'mariadb', since: 0 },
  { from: /^key_buffer$/, to: 'key_buffer_size', family: 'mysql', since: 0 },
  { from: /^tx_isolation$/, to: 'transaction_isolation', family: 'mysql', since: 0 },
  { from: /^tx_isolation$/, to: 'transaction_isolation', family: 'mariadb', since: 0 },
  { from: /^tx_read_only$/, to: 'transaction_read_only', family: 'mysql', since: 0 },
  { from: /^tx_read_only$/, to: 'transaction_read_only', family: 'mariadb', since: 0 },
];

/** Variables under which an option is found where its own name is none. */
const READ_BACK: Readonly<Record<string, readonly string[]>> = {
  transaction_isolation: ['tx_isolation'],
  transaction_read_only: ['tx_read_only'],
  default_time_zone: ['time_zone'],
  temp_pool: ['use_temp_pool'],
  memlock: ['locked_in_memory'],
  ssl: ['have_ssl'],
  symbolic_links: ['have_symlink'],
};

/** An option's name in lower case and with underscores; the prefix `loose_` is kept. */
export function optionName(name: string): string {
  return name.trim().replace(/^--/, '').replaceAll('-', '_').toLowerCase();
}

/** The name under which this server knows an option, without `loose_`. */
export function nameFor(name: string, speaker: Speaker): string {
  const plain = optionName(name).replace(/^loose_/, '');
  const version = versionNumber(speaker.version);
  const renaming = RENAMINGS.find(
    ({ from, family, since }) => family === speaker.family && version >= since && from.test(plain),
  );
  return renaming === undefined ? plain : plain.replace(renaming.from, renaming.to);
}

/** The variables that could tell what became of an option, best first; `inverted` where ON of the option is OFF there. */
export function variablesOf(name: string): readonly { readonly variable: string; readonly inverted: boolean }[] {
  const straight = [name, ...(READ_BACK[name] ?? [])].map((variable) => ({ variable, inverted: false }));
  const positive = /^(?:skip|disable)_(.+)$/.exec(name)?.[1];
  if (positive === undefined) return [...straight, { variable: `skip_${name}`, inverted: true }];
  const turned = [positive, ...(READ_BACK[positive] ?? [])].map((variable) => ({ variable, inverted: true }));
  return [...straight, ...turned];
}

/** "10.11.19-MariaDB" as 101119. */
export function versionNumber(version: string): number {
  const [, major = '0', minor = '0', patch = '0'] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  return Number(major) * 10000 + Number(minor) * 100 + Number(patch);
}
