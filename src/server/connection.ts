import type { Socket } from 'node:net';
import mysql, { type Connection, type FieldPacket } from 'mysql2/promise';
import { BenchbookError, sentenceOf } from '../errors.ts';

/** A row by column name: see `query` for how types arrive. */
export type Row = Readonly<Record<string, unknown>>;

/** Types of columns in the protocol that mysql2 would hand over in more than one way. */
const LONGLONG = 8;

/** Connects as root without a password over a socket that is already open, or by path. */
export async function connect(
  target: { readonly stream: Socket } | { readonly socketPath: string },
): Promise<Connection> {
  return await mysql.createConnection({
    ...('stream' in target ? { stream: target.stream } : { socketPath: target.socketPath }),
    user: 'root',
    supportBigNumbers: true,
    dateStrings: true,
    jsonStrings: true,
    rowsAsArray: true,
    charset: 'utf8mb4',
  });
}

/**
 * Runs one statement and returns its rows, no value rounded: integers are numbers where a double holds them exactly
 * and bigint beyond; DECIMAL is a string, as the server wrote it; dates and times are strings; NULL is null.
 * @throws BenchbookError('measure') with the server's own message, or where two columns have the same name.
 */
export async function query(
  connection: Connection,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  try {
    const [rows, fields] = await connection.query(text, [...values]);
    // A procedure returns several results; a statement without a result returns a header.
    if (!Array.isArray(rows) || !Array.isArray(fields)) return [];
    if (fields.length > 0 && Array.isArray(fields[0])) {
      const first = (fields as unknown as FieldPacket[][])[0]!;
      return named((rows as unknown[][][])[0]!, first, text);
    }
    return named(rows as unknown[][], fields as FieldPacket[], text);
  } catch (error) {
    if (error instanceof BenchbookError) throw error;
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
