import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mysql2/promise';
import { BenchbookError } from '../errors.ts';
import type { Family } from './build.ts';
import { query } from './connection.ts';
import { endHung } from './core.ts';
import { collectEvidence } from './evidence.ts';
import type { Exit } from './launch.ts';
import { waitForPurge } from './purge.ts';
import type { StopMode } from './start.ts';

const STOP_SECONDS = { fast: 120, slow: 900, crash: 30 };

interface Stoppable {
  readonly child: ChildProcess;
  readonly connection: Connection;
  readonly exited: Promise<Exit>;
  readonly family: Family;
  readonly socketPath: string;
  /** Whether one that does not follow is to leave a core file. */
  readonly core: boolean;
}

/** Ends a server for certain: what does not follow the request within its time is killed, and that is an error. */
export async function stopServer(server: Stoppable, mode: StopMode): Promise<{ readonly seconds: number }> {
  const { child, connection, exited } = server;
  if (mode === 'slow' && child.exitCode === null) {
    await waitForPurge((text) => query(connection, text), server.family);
    await query(connection, 'SET GLOBAL innodb_fast_shutdown=0');
  }
  const start = process.hrtime.bigint();
  connection.destroy();
  child.kill(mode === 'crash' ? 'SIGKILL' : 'SIGTERM');
  const limit = new AbortController();
  const inTime = await Promise.race([
    exited.then(() => true),
    sleep(STOP_SECONDS[mode] * 1000, false, { signal: limit.signal }).catch(() => false),
  ]);
  limit.abort();
  if (inTime) return { seconds: Number(process.hrtime.bigint() - start) / 1e9 };
  const evidence = await collectEvidence({ pid: child.pid!, socketPath: server.socketPath });
  await endHung(child, exited, server.core);
  throw new BenchbookError('server', `The server did not stop within ${STOP_SECONDS[mode]} s and was killed.`, {
    outcome: 'timeout',
    evidence,
  });
}
