import type { EventEmitter } from 'node:events';
import type { Connection } from 'mysql2/promise';
import { withTimeLimit } from '../../lib/time-limit.ts';

/** A statement that its server did not answer in time. */
export class StatementTimeout extends Error {}

/**
 * The work of a connection, or an error when it takes longer than `limitSeconds` or the connection is closed first, by either side: a
 * destroyed connection leaves mysql2's own promises unsettled for ever. No timer and no listener outlives the work.
 */
export async function bounded<T>(connection: Connection, limitSeconds: number, work: Promise<T>): Promise<T> {
  const stream = streamOf(connection);
  let onClose: () => void = () => undefined;
  const closed = new Promise<never>((_, reject) => {
    // mysql2 knows better why a connection is lost, and rejects the work in the same turn.
    onClose = () => setImmediate(() => reject(connectionLost()));
    if (isClosed(stream)) onClose();
    else stream?.once('close', onClose);
  });
  try {
    return await withTimeLimit(Promise.race([work, closed]), limitSeconds * 1000, () => {
      throw new StatementTimeout();
    });
  } finally {
    stream?.off('close', onClose);
  }
}

function connectionLost(): Error {
  const text = 'Connection lost: it was closed while a statement ran';
  return Object.assign(new Error(text), { code: 'PROTOCOL_CONNECTION_LOST', fatal: true });
}

type Stream = EventEmitter & { readonly destroyed?: boolean; readonly closed?: boolean };

function streamOf(connection: Connection): Stream | undefined {
  return (connection as unknown as { connection?: { stream?: Stream } }).connection?.stream;
}

function isClosed(stream: Stream | undefined): boolean {
  return stream?.closed === true;
}
