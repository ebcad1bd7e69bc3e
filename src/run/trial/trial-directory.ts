import { join } from 'node:path';
import type { StartingPoint } from '../../server/starting-point.ts';
import type { TrialMachine } from './machine.ts';
import type { TrialRequest } from './trial-request.ts';

/** A data directory of the trial's own, or the one that trials before it have used and not changed. */
export function ordinaryDirectory({ copies, trialsDirectory, planned }: TrialRequest, point: StartingPoint): string {
  const copy = point.directory === null || !point.shared ? undefined : copies?.get(point.directory);
  return copy ?? join(trialsDirectory, planned.trialId);
}

/** Removes the data directory, or leaves it to the next trial where none may change it and this one ended ok. */
export async function releaseDirectory(
  request: TrialRequest,
  point: StartingPoint,
  machine: TrialMachine,
  isOk: boolean,
): Promise<void> {
  const { copies, effects } = request;
  const { dataDirectory, isOrdinary } = machine;
  if (isOk && point.shared && point.directory !== null && copies !== null && isOrdinary) {
    copies.set(point.directory, dataDirectory);
    return;
  }
  for (const [from, copy] of copies ?? []) if (copy === dataDirectory) copies!.delete(from);
  await effects.removeDirectory(dataDirectory).catch(() => undefined);
}
