import { BenchbookError } from '../../lib/errors.ts';
import type { Server, StopMode } from '../../server/start.ts';
import { stopLimit } from '../../server/start.ts';
import { deadline } from './limits.ts';
import type { TrialRecord } from './trial-record.ts';
import type { TrialRequest } from './trial-request.ts';

/** A server that crashed may have answered the last query, so its exit is checked as well. */
export async function endInOrder(request: TrialRequest, record: TrialRecord, trialSignal: AbortSignal): Promise<void> {
  const { server } = record;
  if (server === undefined) return;
  await endServer(request, record, 'fast', trialSignal);
  const { code, signal } = await server.exited;
  if (signal === null && (code === null || code === 0)) return;
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  throw new BenchbookError('server', `the server did not end in order (${how})`, { outcome: 'crashed' });
}

/** Keeps the log and ends the server; one that does not end in time is killed. */
export async function endServer(
  request: TrialRequest,
  record: TrialRecord,
  mode: StopMode,
  outer: AbortSignal = new AbortController().signal,
): Promise<{ readonly seconds: number }> {
  const { server } = record;
  if (server === undefined) return { seconds: 0 };
  request.phase('stopping the server');
  request.ownCode?.release(server);
  if (record.moments.length === 0) record.moments = [...server.moments];
  const limit = deadline(outer, stopLimit(request.policy, mode), 'the stop of the server');
  try {
    const stopped = await limit.race(server.stop(mode));
    record.server = undefined;
    return stopped;
  } finally {
    limit.clear();
    keepLog(record, server);
  }
}

function keepLog(record: TrialRecord, server: Server): void {
  const before = record.texts.get('error log');
  const text = server.logText();
  if (before?.endsWith(text)) return;
  const whole = before === undefined ? text : `${before}\n--- the server was started again ---\n${text}`;
  record.texts.set('error log', whole);
}
