import type { ChildProcess } from 'node:child_process';
import type { Connection } from 'mysql2/promise';
import type { Family } from '../../families/family.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { withTimeLimit } from '../../lib/time-limit.ts';
import { query } from '../connection.ts';
import { waitForPurge } from '../engines/purge.ts';
import { endHung } from './inspect/core.ts';
import { collectEvidence } from './inspect/evidence.ts';
import type { Exit, StopMode } from './server.ts';

/** Where the study sets no limit. Stops of an hour are known of real servers, and a kill costs the data of the trial. */
const STOP_SECONDS = 7200;
const PURGE_SECONDS = 7200;
/** Fixed: after SIGKILL nothing but the kernel works, which frees the memory of a big server in seconds and writes no core file. */
const CRASH_SECONDS = 30;

interface Stoppable {
  readonly child: ChildProcess;
  readonly connection: Connection;
  readonly exited: Promise<Exit>;
  readonly family: Family;
  readonly socketPath: string;
  /** Whether one that does not follow is to leave a core file. */
  readonly core: boolean;
}

interface StopLimits {
  readonly stopSeconds?: number | undefined;
  readonly purgeSeconds?: number | undefined;
}

/** For a stop that hangs by itself: longer than the limits within it, whose errors bring evidence. */
export function stopLimit(
  { stopSeconds = STOP_SECONDS, purgeSeconds = PURGE_SECONDS }: StopLimits,
  mode: StopMode,
): number {
  const evidenceSeconds = 200;
  const own = { fast: stopSeconds, slow: stopSeconds + purgeSeconds, crash: CRASH_SECONDS };
  return own[mode] + evidenceSeconds;
}

/** Ends a server for certain: what does not follow the request within its time is killed, and that is an error. */
export async function stopServer(
  server: Stoppable,
  mode: StopMode,
  limits: StopLimits = {},
): Promise<{ readonly seconds: number }> {
  const { child, connection, exited } = server;
  const limitSeconds = mode === 'crash' ? CRASH_SECONDS : (limits.stopSeconds ?? STOP_SECONDS);
  if (mode === 'slow' && child.exitCode === null) {
    await waitForPurge((text) => query(connection, text), server.family, limits.purgeSeconds ?? PURGE_SECONDS);
    await query(connection, 'SET GLOBAL innodb_fast_shutdown=0');
  }
  const start = process.hrtime.bigint();
  connection.destroy();
  child.kill(mode === 'crash' ? 'SIGKILL' : 'SIGTERM');
  const end = exited.then(() => true);
  const inTime = await withTimeLimit(end, limitSeconds * 1000, () => false);
  if (inTime) return { seconds: Number(process.hrtime.bigint() - start) / 1e9 };
  const evidence = await collectEvidence({ pid: child.pid!, socketPath: server.socketPath });
  await endHung(child, exited, server.core);
  throw new BenchbookError('server', `The server did not stop within ${limitSeconds} s and was killed.`, {
    ...(mode === 'crash' ? {} : { hint: 'Give it more time with limits: { stopSeconds: … } in the study.' }),
    outcome: 'timeout',
    evidence,
  });
}
