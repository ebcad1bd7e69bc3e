import { BenchbookError } from '../lib/errors.ts';
import type { Dataset, LoadStep, Primitive, ServerSource } from '../study/types.ts';

interface DatasetRequest {
  /** Letters, digits, ".", "_" and "-". */
  readonly name: string;
  /** One statement, or several; each is sent by itself. */
  readonly schema: string | readonly string[];
  /** How it is filled, in this order: steps made with `load`. */
  readonly load: LoadStep | readonly LoadStep[];
  /** In which order rows are inserted, in words: it decides how full the pages are. */
  readonly order: string;
  /** The database that is created for it; `bench` by default. */
  readonly database?: string;
  /** Leaf pages of the clustered index by table, all partitions together. Another number fails the trial. */
  readonly leafPages?: Readonly<Record<string, number>>;
  /** The server that fills it, before the measured server upgrades it: the layout is then the same for all. */
  readonly preparedBy?: ServerSource;
  /** Whether no trial changes it, so that trials may use one copy, one after the other; false by default. */
  readonly readOnly?: boolean;
}

const NAMES = ['name', 'schema', 'load', 'order', 'database', 'leafPages', 'preparedBy', 'readOnly'];

/**
 * Declares data that trials start from. It is prepared once for each build and its creation-time options, and each trial starts on a
 * copy.
 * @throws BenchbookError `study` for a wrong or missing part
 * @example
 * dataset({
 *   name: 'rows',
 *   schema: 'CREATE TABLE t (id INT PRIMARY KEY)',
 *   order: 'by id',
 *   load: load.rows('t', 1000, { id: 'n + 1' }),
 * })
 */
export function dataset(request: DatasetRequest): Dataset {
  const wrong = Object.keys(request ?? {}).find((name) => !NAMES.includes(name));
  if (wrong !== undefined) throw wrongUse(`dataset has no "${wrong}"; it has ${NAMES.join(', ')}.`);
  const {
    name,
    schema,
    load: steps,
    order,
    database = 'bench',
    leafPages = {},
    preparedBy,
    readOnly = false,
  } = request;
  if (!isText(name) || !/^[\w.-]+$/.test(name))
    throw wrongUse('A dataset needs a name of letters, digits, ".", "_" and "-".');
  if (!isText(order))
    throw wrongUse(
      `Dataset "${name}" must say in "order" in which order its rows are inserted: it decides the layout of its pages.`,
    );
  if (!/^[A-Za-z_]\w{0,63}$/.test(database)) throw wrongUse(`"${database}" is no plain name of a database.`);
  const statements = typeof schema === 'string' ? [schema] : schema;
  if (!Array.isArray(statements) || !statements.every(isText))
    throw wrongUse(`The schema of dataset "${name}" is a statement or a list of them.`);
  const list = Array.isArray(steps) ? (steps as readonly LoadStep[]) : [steps as LoadStep];
  if (list.length === 0 || !list.every((step) => typeof step?.step === 'string')) {
    throw wrongUse(
      `Dataset "${name}" needs steps made with load.rows, load.generate, load.sql, load.script, load.file or load.command.`,
    );
  }
  for (const [table, pages] of Object.entries(leafPages)) {
    if (!Number.isSafeInteger(pages) || pages < 1)
      throw wrongUse(`The leaf pages of "${table}" are a whole number, not ${String(pages)}.`);
  }
  const optional = preparedBy === undefined ? {} : { preparedBy };
  return { name, database, schema: statements, load: list, order, leafPages, readOnly, ...optional };
}

/** The steps that fill a data set, done in the order given. */
export const load = {
  /**
   * Rows that the server itself makes, at its full speed, in the order of `n` from 0 to `count` − 1.
   * @param columns an SQL expression of `n` for each column
   * @throws BenchbookError `study` for a missing table or column, or a count below 1
   * @example load.rows('t', 1000, { id: 'n + 1', c: "REPEAT('x', 100)" })
   */
  rows(table: string, count: number, columns: Readonly<Record<string, string>>): LoadStep {
    checkTable(table, count, Object.keys(columns ?? {}));
    return { step: 'server rows', table, count, columns };
  },
  /**
   * Rows that a function in the study makes, streamed to the server in the order of `n` from 0 to `count` − 1. The text of the function
   * and its first and last rows decide whether the data set changed.
   * @param row the values of row `n`, in the order of `columns`
   * @throws BenchbookError `study` for a missing table, column or function, or a count below 1
   * @example load.generate('t', 1000, ['id', 'name'], (n) => [n + 1, `name ${n}`])
   */
  generate(
    table: string,
    count: number,
    columns: readonly string[],
    row: (n: number) => readonly (Primitive | bigint | null)[],
  ): LoadStep {
    checkTable(table, count, columns);
    if (typeof row !== 'function') throw wrongUse('load.generate wants a function that makes the row of a number.');
    return { step: 'client rows', table, count, columns, row };
  },
  /**
   * Statements, each sent by itself.
   * @throws BenchbookError `study` where there is none, or one is empty
   * @example load.sql('INSERT INTO t VALUES (1)', 'ANALYZE TABLE t')
   */
  sql(...statements: readonly string[]): LoadStep {
    if (statements.length === 0 || !statements.every(isText)) throw wrongUse('load.sql wants statements.');
    return { step: 'sql', statements };
  },
  /**
   * A file of statements as `mysqldump` and `mariadb-dump` write it, including routines and triggers with DELIMITER.
   * @param file relative to the study's file
   * @throws BenchbookError `study` for an empty path
   * @example load.script('data/schema.sql')
   */
  script(file: string): LoadStep {
    if (!isText(file)) throw wrongUse('load.script wants the path of a file.');
    return { step: 'script', file };
  },
  /**
   * A file of rows, loaded with LOAD DATA.
   * @param file relative to the study's file
   * @param format the FIELDS and LINES clauses of LOAD DATA; tab-separated by default
   * @throws BenchbookError `study` for a missing table or path
   * @example load.file('t', 'data/rows.csv', "FIELDS TERMINATED BY ','")
   */
  file(table: string, file: string, format = ''): LoadStep {
    if (!isText(table) || !isText(file)) throw wrongUse('load.file wants a table and the path of a file.');
    return { step: 'file', table, file, format };
  },
  /**
   * A program that fills the database. `{socket}`, `{database}` and `{user}` in its arguments are replaced. It runs in the study's folder.
   * @throws BenchbookError `study` for an empty argument
   * @example load.command('sysbench', 'oltp_read_write', '--mysql-socket={socket}', 'prepare')
   */
  command(...argv: readonly string[]): LoadStep {
    if (argv.length === 0 || !argv.every(isText)) throw wrongUse('load.command wants a program and its arguments.');
    return { step: 'command', argv };
  },
} as const;

function checkTable(table: string, count: number, columns: readonly string[]): void {
  if (!isText(table)) throw wrongUse('A load step wants the name of a table.');
  if (!Number.isSafeInteger(count) || count < 1)
    throw wrongUse(`The rows of "${table}" are a whole number from 1, not ${String(count)}.`);
  if (!Array.isArray(columns) || columns.length === 0) throw wrongUse(`The rows of "${table}" need columns.`);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

function wrongUse(sentence: string): BenchbookError {
  return new BenchbookError('study', sentence, {
    hint: "for example `dataset({ name: 'rows', schema: 'CREATE TABLE t (id INT PRIMARY KEY)', order: 'by id', load: load.rows('t', 1000, { id: 'n + 1' }) })`",
  });
}
