import type { Failure, TrialRecord } from './trial-record.ts';
import type { TrialRequest } from './trial-request.ts';

/** A server that hangs is asked what it does before it is ended. */
export async function keepEvidence(
  { effects, preparation, preservation }: TrialRequest,
  record: TrialRecord,
  failure: Failure,
): Promise<void> {
  const { server, texts } = record;
  if (failure.outcome !== 'timeout' || server === undefined || preparation.signal.aborted) return;
  const evidence = await effects.collectEvidence(server).catch(() => ({}));
  for (const [name, text] of Object.entries(evidence)) texts.set(name, text);
  // An external server has no process here, and is not ours to end.
  if (preservation.keep.includes('core') && server.pid > 0) await effects.abortForCore(server);
}

/** Data directory and core file of a server that crashed, hung or ran out of time: only these have more to show than a log. */
export async function preserveFailureEvidence(
  { effects, preservation, roots, planned, preparation }: TrialRequest,
  { pids, cautions }: TrialRecord,
  failure: Failure | null,
  dataDirectory: string,
): Promise<void> {
  const isFallen = failure?.outcome === 'crashed' || failure?.outcome === 'timeout';
  if (preservation.keep.length === 0 || !isFallen || preparation.signal.aborted) return;
  const { trialId } = planned;
  cautions.push(
    ...(await effects.preserveFiles({ ...preservation, runDirectory: roots.run!, trialId, dataDirectory, pids })),
  );
}
