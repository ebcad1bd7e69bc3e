import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Connection as CoreConnection, QueryOptions, TypeCast } from 'mysql2';
import type { Connection, FieldPacket } from 'mysql2/promise';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import type { Sql } from '../study/types.ts';
import { bounded, StatementTimeout } from './process/bounded.ts';
import { createConnection } from './process/client.ts';

export { whileFlushing } from './engines/flush-dirty.ts';
export { waitForPurge } from './engines/purge.ts';

/** A row by column name: see `query` for how types arrive. */
export type Row = Readonly<Record<string, unknown>>;

/** How long one statement may take unless something else is said. */
export const STATEMENT_SECONDS = 3600;

/** Type of a BIGINT column in the protocol. */
const LONGLONG = 8;
/** Type of a geometry, whatever its kind. */
const GEOMETRY = 255;

/** How every connection of ours hands over rows: nothing rounded, nothing turned into a Date of the client's zone. */
export const connectionSettings = {
  supportBigNumbers: true,
  dateStrings: true,
  jsonStrings: true,
  rowsAsArray: true,
  charset: 'utf8mb4',
} as const;

/** Connects as root without a password over a socket that is already open, or by path. */
export async function connect(
  target: { readonly stream: Socket } | { readonly socketPath: string },
): Promise<Connection> {
  // The client library would take it for localhost:3306.
  if ('socketPath' in target && target.socketPath === '')
    throw new BenchbookError('server', 'The server has no socket here.');
  return await createConnection({ ...connectionSettings, ...target, user: 'root' });
}

interface SqlSettings {
  /** How long one statement may take. */
  readonly limitSeconds?: number;
  /** Called with each error, to throw a better one. */
  readonly explain?: (error: unknown) => Promise<never>;
}

/** The statements of one connection as a function, with `sql.time`. */
export function sqlOver(connection: Connection, settings: SqlSettings = {}): Sql {
  const { limitSeconds, explain } = settings;
  const sql = async (text: string, values: readonly unknown[] = []) => {
    try {
      return await query(connection, text, values, limitSeconds);
    } catch (error) {
      if (explain !== undefined) await explain(error);
      throw error;
    }
  };
  const time = async (text: string, values?: readonly unknown[]) => {
    const start = process.hrtime.bigint();
    const rows = await sql(text, values);
    return { seconds: Number(process.hrtime.bigint() - start) / 1e9, rows };
  };
  return Object.assign(sql, { time }) as Sql;
}

/** Whether an error says that the connection is gone, whatever the reason. */
export function isLost(error: unknown): boolean {
  const cause = error instanceof BenchbookError ? error.cause : error;
  const { code, fatal } = (cause ?? {}) as { code?: unknown; fatal?: unknown };
  return fatal === true || LOST_CODES.has(String(code)) || /closed state/.test(sentenceOf(cause));
}

const LOST_CODES = new Set(['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE', 'ER_SERVER_SHUTDOWN']);

/** Sends a statement; geometries come as the server's bytes, with their type and SRID, which a parsed one has lost. */
function send(connection: Connection, options: QueryOptions): Promise<[unknown, unknown]> {
  return new Promise((resolve, reject) => {
    const { connection: core } = connection as unknown as { readonly connection: CoreConnection };
    const command = core.query(options, (error, rows, fields) => {
      if (error) reject(error);
      else resolve([rows, fields]);
    }) as unknown as EventEmitter & { options: QueryOptions };
    // Only such results pay for a look at each value: the time of a query includes its decoding.
    command.on('fields', (fields: readonly FieldPacket[] | undefined) => {
      if (fields?.some(({ columnType }) => columnType === GEOMETRY))
        command.options = { ...command.options, typeCast: geometryAsBytes };
    });
  });
}

const geometryAsBytes: TypeCast = (field, next) => (field.type === 'GEOMETRY' ? field.buffer() : next());

/**
 * Runs one statement and returns its rows, no value rounded: integers are numbers where a double holds them exactly
 * and bigint beyond; DECIMAL is a string, as the server wrote it; dates and times are strings; geometries are bytes; NULL
 * is null.
 * @throws BenchbookError('measure') with the server's own message, or where two columns have the same name.
 */
export async function query(
  connection: Connection,
  text: string,
  values: readonly unknown[] = [],
  limitSeconds = Number.POSITIVE_INFINITY,
): Promise<readonly Row[]> {
  try {
    const [rows, fields] = await bounded(
      connection,
      limitSeconds,
      send(connection, { sql: text, values: [...values] }),
    );
    // A procedure returns several results; a statement without a result returns a header.
    if (!Array.isArray(rows) || !Array.isArray(fields)) return [];
    if (fields.length > 0 && Array.isArray(fields[0])) {
      const first = (fields as unknown as FieldPacket[][])[0]!;
      return named((rows as unknown[][][])[0]!, first, text);
    }
    return named(rows as unknown[][], fields as FieldPacket[], text);
  } catch (error) {
    if (error instanceof BenchbookError) throw error;
    if (error instanceof StatementTimeout) {
      const sentence = `The server did not answer "${shorten(text)}" within ${limitSeconds} s.`;
      throw new BenchbookError('server', sentence, { outcome: 'timeout', cause: error });
    }
    throw new BenchbookError('measure', `The server refused "${shorten(text)}": ${sentenceOf(error)}`, {
      cause: error,
    });
  }
}

function named(rows: readonly (readonly unknown[])[], fields: readonly FieldPacket[], text: string): readonly Row[] {
  const names = fields.map((field) => field.name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) {
    throw new BenchbookError('measure', `"${shorten(text)}" returns two columns named "${twice}".`, {
      hint: 'Give one of them another name with AS.',
    });
  }
  const wide = fields.map((field) => field.columnType === LONGLONG);
  return rows.map((row) => Object.fromEntries(names.map((name, index) => [name, exact(row[index], wide[index]!)])));
}

/** mysql2 hands integers beyond 2^53 over as strings. */
function exact(value: unknown, wide: boolean): unknown {
  return wide && typeof value === 'string' ? BigInt(value) : value;
}

function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > 80 ? `${line.slice(0, 77)}…` : line;
}
