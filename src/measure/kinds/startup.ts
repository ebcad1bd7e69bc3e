import { z } from 'zod';
import { startPhases } from '../../formats/logs/start-phases.ts';
import type { Moment } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Measurement, Metric } from '../../study/types.ts';
import { liveProcess, type Readings, type TrialContext } from '../context.ts';
import { optionsOf } from '../tools/options.ts';

const TICK_SECONDS = 0.01;
const LOG = 'from lines of the error log, stamped on arrival: versions word them differently';

const STARTUP = {
  ready: { unit: 's', better: 'lower', title: 'time to first query', resolution: 0.001 },
  readyLog: { unit: 's', better: 'lower', title: 'time to the ready line', resolution: 0.001 },
  readySocket: { unit: 's', better: 'lower', title: 'time to the socket', resolution: 0.002 },
  cpu: { unit: 's', better: 'lower', title: 'CPU time to first query', resolution: TICK_SECONDS },
  cpuUser: { unit: 's', better: 'lower', title: 'user CPU time to first query', resolution: TICK_SECONDS },
  cpuSystem: { unit: 's', better: 'lower', title: 'system CPU time to first query', resolution: TICK_SECONDS },
} as const satisfies Readonly<Record<string, Metric>>;

const RECOVERY = {
  recovery: { unit: 's', better: 'lower', title: 'crash recovery of InnoDB', resolution: 0.001, caution: LOG },
} as const satisfies Readonly<Record<string, Metric>>;

type Metrics<A> = keyof typeof STARTUP | (A extends 'crash' ? keyof typeof RECOVERY : never);

const after = z.enum(['stop', 'crash'], 'must be "stop" or "crash"');
const shape = z.strictObject({ after: after.optional() });

/**
 * A start of the trial's server: seconds from the return of spawn, CPU seconds up to the first answer. Without `after` it is
 * the start that the trial began with, and nothing is disturbed. `stop` ends the server in order and starts it again;
 * `crash` kills it first, whatever it is doing, and adds the time of InnoDB's recovery. Phases of the start are kept.
 */
export function startup<const A extends 'stop' | 'crash' | undefined = undefined>(
  options: { readonly after?: A } = {},
): Measurement<Metrics<A>> {
  const params = optionsOf('measure.startup', shape, options);
  const metrics = params.after === 'crash' ? { ...STARTUP, ...RECOVERY } : STARTUP;
  return {
    kind: 'startup',
    params,
    metrics: metrics as Readonly<Record<Metrics<A>, Metric>>,
    // A start again is wanted where it stands in the list of measurements, also at each level of a within factor.
    ...(params.after === undefined ? { oncePerTrial: true } : {}),
  };
}

export async function measureStartup(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { after } = measurement.params as z.output<typeof shape>;
  if (after === 'crash') {
    await liveProcess(context);
    await context.stop('crash');
  }
  const server = after === undefined ? await liveProcess(context) : await context.restart();
  const { userSeconds, systemSeconds } = server.cpuAtReady;
  const phases = startPhases(
    server.moments.flatMap(({ atSeconds, text }) => (text === undefined ? [] : [{ atSeconds, text }])),
  );
  const values: Record<string, number> = {
    ready: momentOf(server.moments, 'first query'),
    readyLog: momentOf(server.moments, 'ready line'),
    readySocket: momentOf(server.moments, 'socket'),
    // A sum of two hundredths must print as hundredths.
    cpu: Math.round((userSeconds + systemSeconds) * 100) / 100,
    cpuUser: userSeconds,
    cpuSystem: systemSeconds,
  };
  const missing: Record<string, string> = {};
  if (after === 'crash') {
    if (phases.recoverySeconds !== null) values.recovery = phases.recoverySeconds;
    else missing.recovery = 'the error log tells of no crash recovery (MySQL tells of it with log_error_verbosity=3).';
  }
  const spawnSeconds = -momentOf(server.moments, 'spawn');
  return { values, missing, moments: server.moments, details: { spawnSeconds, phases: { ...phases } } };
}

function momentOf(moments: readonly Moment[], name: string): number {
  const moment = moments.find((candidate) => candidate.name === name);
  if (moment === undefined) throw new BenchbookError('measure', `The server's start has no moment "${name}".`);
  return moment.atSeconds;
}
