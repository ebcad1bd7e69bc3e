import { BenchbookError } from '../errors.ts';
import type { Moment } from '../journal/entry.ts';
import type { Measurement } from '../study/types.ts';
import type { Readings, TrialContext } from './context.ts';

/**
 * The moments of the running server's start, from the return of spawn. Where an earlier measurement has used the server
 * up, it is started again.
 */
export async function measureStartup(_measurement: Measurement, context: TrialContext): Promise<Readings> {
  const server = context.running ?? (await context.restart());
  const { userSeconds, systemSeconds } = server.cpuAtReady;
  const values = {
    ready: momentOf(server.moments, 'first query'),
    readyLog: momentOf(server.moments, 'ready line'),
    readySocket: momentOf(server.moments, 'socket'),
    // A sum of two hundredths must print as hundredths.
    cpu: Math.round((userSeconds + systemSeconds) * 100) / 100,
    cpuUser: userSeconds,
    cpuSystem: systemSeconds,
  };
  const spawnSeconds = -momentOf(server.moments, 'spawn');
  return { values, moments: server.moments, details: { spawnSeconds } };
}

function momentOf(moments: readonly Moment[], name: string): number {
  const moment = moments.find((candidate) => candidate.name === name);
  if (moment === undefined) throw new BenchbookError('measure', `The server's start has no moment "${name}".`);
  return moment.atSeconds;
}
