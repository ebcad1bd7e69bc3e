import type { Options } from '../study/types.ts';
import { shortHash } from './build.ts';

/** Options that decide how a data directory is laid out when it is made; all others can differ between starts. */
const CREATION_OPTIONS = new Set([
  'character_set_server',
  'collation_server',
  'innodb_checksum_algorithm',
  'innodb_data_file_path',
  'innodb_default_row_format',
  'innodb_encrypt_log',
  'innodb_encrypt_tables',
  'innodb_file_per_table',
  'innodb_log_file_size',
  'innodb_log_files_in_group',
  'innodb_page_size',
  'innodb_redo_log_capacity',
  'innodb_undo_tablespaces',
  'lower_case_table_names',
]);

/** Underscores and lower case; the prefix `loose_` is kept. */
export function optionName(name: string): string {
  return name.trim().replace(/^--/, '').replaceAll('-', '_').toLowerCase();
}

/** The options of a set that decide the layout of a data directory. */
export function creationOptions(options: Options): Options {
  const entries = Object.entries(options).filter(([name]) =>
    CREATION_OPTIONS.has(optionName(name).replace(/^loose_/, '')),
  );
  return Object.fromEntries(entries.map(([name, value]) => [optionName(name), value] as const).sort());
}

/** Options as arguments: `true` and `false` as ON and OFF, all others as they stand. */
export function optionArguments(options: Options): readonly string[] {
  return Object.entries(options).map(([name, value]) => {
    const text = typeof value === 'boolean' ? (value ? 'ON' : 'OFF') : String(value);
    return `--${optionName(name).replaceAll('_', '-')}=${text}`;
  });
}

/** A key for what was made with these options. */
export function optionsKey(options: Options): string {
  return shortHash(Object.fromEntries(Object.entries(options).map(([name, value]) => [optionName(name), value])));
}
