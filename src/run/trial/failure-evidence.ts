import type { TrialRequest } from './trial.ts';
import type { Failure, Gathered } from './trial-record.ts';

/** A server that hangs is asked what it does before it is ended. */
export async function keepEvidence(
  { effects, preparation, keeping }: TrialRequest,
  gathered: Gathered,
  failure: Failure,
): Promise<void> {
  const { server, texts } = gathered;
  if (failure.outcome !== 'timeout' || server === undefined || preparation.signal.aborted) return;
  const evidence = await effects.collectEvidence(server).catch(() => ({}));
  for (const [name, text] of Object.entries(evidence)) texts.set(name, text);
  // An external server has no process here, and is not ours to end.
  if (keeping.keep.includes('core') && server.pid > 0) await effects.abortForCore(server);
}

/** Data directory and core file of a server that crashed, hung or ran out of time: only these have more to show than a log. */
export async function keepFallen(
  { effects, keeping, roots, planned, preparation }: TrialRequest,
  { pids, cautions }: Gathered,
  failure: Failure | null,
  dataDirectory: string,
): Promise<void> {
  const isFallen = failure?.outcome === 'crashed' || failure?.outcome === 'timeout';
  if (keeping.keep.length === 0 || !isFallen || preparation.signal.aborted) return;
  const { trialId } = planned;
  cautions.push(...(await effects.keepFiles({ ...keeping, runDirectory: roots.run!, trialId, dataDirectory, pids })));
}
