import type { Failure, TrialRecord } from './trial-record.ts';
import type { TrialRequest } from './trial-request.ts';

/** Asks a server that hangs what it is doing, before it is ended. */
export async function collectHangEvidence(
  { effects, preparation, preservation }: TrialRequest,
  record: TrialRecord,
  failure: Failure,
): Promise<void> {
  const { server, texts } = record;
  if (failure.outcome !== 'timeout' || server === undefined || preparation.signal.aborted) return;
  const evidence = await effects.collectEvidence(server).catch(() => ({}));
  for (const [name, text] of Object.entries(evidence)) texts.set(name, text);
  // An external server has no process here, and Benchbook must not end it.
  if (preservation.keep.includes('core') && server.pid > 0) await effects.abortForCore(server);
}

/** Preserves data directory and core file of a server that crashed, hung or ran out of time; for other failures the log is enough. */
export async function preserveFailureEvidence(
  { effects, preservation, roots, planned, preparation }: TrialRequest,
  { pids, cautions }: TrialRecord,
  failure: Failure | null,
  dataDirectory: string,
): Promise<void> {
  const isWorthKeeping = failure?.outcome === 'crashed' || failure?.outcome === 'timeout';
  if (preservation.keep.length === 0 || !isWorthKeeping || preparation.signal.aborted) return;
  const { trialId } = planned;
  cautions.push(
    ...(await effects.preserveFiles({ ...preservation, runDirectory: roots.run!, trialId, dataDirectory, pids })),
  );
}
