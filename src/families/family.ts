import type { ServerEntry } from '../journal/entry.ts';

/** The families of servers, as the journal records them. */
export type Family = ServerEntry['family'];

/**
 * An option that one server family knows under another name, with the same meaning. Options that only resemble each other
 * (`innodb_log_file_size` and `innodb_redo_log_capacity`) do not belong here: a study must say which one it means.
 */
export interface Renaming {
  readonly from: RegExp;
  readonly to: string;
  /** First version, as major·10000 + minor·100 + patch, that knows the new name. */
  readonly since: number;
}

/** Rows that the server itself generates: SQL expressions of `n`, which counts from 0. */
export interface GeneratedRows {
  readonly table: string;
  /** Quoted column names, separated by commas. */
  readonly columns: string;
  /** SQL expressions, separated by commas. */
  readonly values: string;
  readonly count: number;
}

/** Everything that differs between server families. A new family is one such object and one line in `families.ts`. */
export interface ServerFamily {
  /** The name in journals. */
  readonly name: Family;
  /** The name in texts for people. */
  readonly title: string;
  /** Whether the text that `--version`, a greeting or a data directory gives as its version belongs to this family. */
  readonly hasVersion: (version: string) => boolean;
  /** Arguments that every server of this version needs. */
  readonly arguments: (version: string) => readonly string[];
  /** Options that this family knows under another name. */
  readonly renamings: readonly Renaming[];
  /** The file in which a new data directory records the version that made it; null where the server does this itself. */
  readonly versionFile: (version: string) => string | null;
  /** Whether the server can create its system tables itself when no SQL for them is shipped. */
  readonly createsSystemTables: boolean;
  /** Whether an upgrade exchanges the files of the system tables; otherwise the server upgrades them when it starts. */
  readonly exchangesSystemTables: boolean;
  /** A query for name, type, words and comment of each variable; null where the server does not describe them. */
  readonly describeVariables: string | null;
  /** A statement that blocks until purge is done; null where there is none. */
  readonly awaitPurge: string | null;
  /** Length of the history list at which purge counts as done. */
  readonly historyLeft: number;
  /** The asynchronous I/O in use, when `innodb_use_native_aio` is ON and the log does not name it; null where unknown. */
  readonly nativeAio: string | null;
  /** First version, as [major, minor], whose InnoDB uses direct I/O by default. */
  readonly directIoSince: readonly [number, number];
  /** How execution plans with measured times are read: `ANALYZE FORMAT=JSON` or `EXPLAIN ANALYZE`. */
  readonly analyze: 'analyze json' | 'explain analyze';
  /** Statements that insert generated rows in the order of `n`. */
  readonly insertRows: (rows: GeneratedRows) => readonly string[];
}
