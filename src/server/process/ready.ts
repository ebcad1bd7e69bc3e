import { existsSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import type { Moment } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { connect, isLost, query } from '../connection.ts';
import { describeExit } from './launch.ts';
import type { Exit } from './server.ts';

/** How often the socket is looked for; the resolution of the moment "socket". */
const POLL_MILLISECONDS = 1;

interface Awaited {
  readonly socketPath: string;
  readonly exited: Promise<Exit>;
  readonly elapsedSeconds: () => number;
  readonly moments: Moment[];
  readonly limitSeconds: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Waits for the first successful `SELECT 1` over the socket and notes the moments "socket" and "first query" on the
 * way. Once the socket accepts, the open connection waits in the server's own queue, so nothing is polled from then on:
 * the answer comes as soon as the server handles connections.
 */
export async function awaitReady(wait: Awaited): Promise<Connection> {
  const stop = new AbortController();
  const early = wait.exited.then((exit) => {
    throw new BenchbookError('server', `The server exited before it was ready (${describeExit(exit)}).`, {
      outcome: exit.signal === null ? 'failed' : 'crashed',
    });
  });
  const late = sleep(wait.limitSeconds * 1000, undefined, { signal: stop.signal }).then(() => {
    throw new BenchbookError('server', `The server did not answer within ${wait.limitSeconds} s of its start.`, {
      outcome: 'timeout',
    });
  });
  const aborted = new Promise<never>((_, reject) => {
    const onAbort = () => reject(new BenchbookError('interrupted', 'Interrupted while the server was starting.'));
    wait.signal?.addEventListener('abort', onAbort, { signal: stop.signal, once: true });
    if (wait.signal?.aborted) onAbort();
  });
  for (const promise of [early, late, aborted]) promise.catch(() => undefined);
  try {
    return await Promise.race([firstAnswer(wait, stop.signal), early, late, aborted]);
  } finally {
    stop.abort();
  }
}

async function firstAnswer(wait: Awaited, signal: AbortSignal): Promise<Connection> {
  while (!existsSync(wait.socketPath)) await sleep(POLL_MILLISECONDS, undefined, { signal });
  wait.moments.push({ name: 'socket', atSeconds: wait.elapsedSeconds() });
  for (;;) {
    try {
      const stream = await open(wait.socketPath);
      const connection = await connect({ stream });
      await query(connection, 'SELECT 1');
      wait.moments.push({ name: 'first query', atSeconds: wait.elapsedSeconds() });
      return connection;
    } catch (error) {
      signal.throwIfAborted();
      if (!isTransient(error)) throw error;
      await sleep(POLL_MILLISECONDS, undefined, { signal });
    }
  }
}

function open(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = createConnection(path);
    socket.once('connect', () => resolve(socket));
    socket.once('error', reject);
  });
}

/** Between bind and listen the socket refuses; an upgrading server may close it once more. */
function isTransient(error: unknown): boolean {
  const code = (error as { code?: unknown }).code;
  return code === 'ECONNREFUSED' || code === 'ENOENT' || isLost(error);
}
