import { z } from 'zod';
import { startPhases } from '../../../formats/logs/start-phases.ts';
import type { Moment } from '../../../journal/entry.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveProcess, type Readings, type TrialContext } from '../../context.ts';
import { optionsOf } from '../../tools/options.ts';
import { defineMeasurement } from '../define.ts';

const WORD = { name: 'measure.startup', example: "measure.startup({ after: 'stop' })" };

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
 * A start of the trial's server: seconds from the return of `spawn`, and CPU seconds up to the first answer. The phases of the
 * start are kept.
 * @param options.after Without it, the start that the trial began with; this disturbs nothing. `stop` shuts the server down and starts
 *   it again. `crash` kills it with SIGKILL, starts it again, and adds the time of InnoDB's recovery. Both empty the server's caches.
 * @throws BenchbookError `study` for a wrong option
 * @example measure.startup({ after: 'crash' })
 */
function declare<const A extends 'stop' | 'crash' | undefined = undefined>(
  options: { readonly after?: A } = {},
): Measurement<Metrics<A>> {
  const params = optionsOf(WORD, shape, options);
  const metrics = params.after === 'crash' ? { ...STARTUP, ...RECOVERY } : STARTUP;
  return {
    kind: 'startup',
    params,
    metrics: metrics as Readonly<Record<Metrics<A>, Metric>>,
    // A restart happens at its place in the list of measurements, and again at each level of a within factor.
    ...(params.after === undefined ? { oncePerTrial: true } : {}),
  };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
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

export const startup = defineMeasurement({
  kind: 'startup',
  declare,
  metrics: { ...STARTUP, ...RECOVERY },
  needs: { process: true },
  run,
  // The script starts the server anyway, and takes its time to the ready line.
  reproduce: () => [],
  docs: {
    forms: ['startup()', "startup({ after: 'stop' | 'crash' })"],
    how: 'the start that the trial began with; with `after`, a restart after a clean stop or SIGKILL. On the monotonic clock, from the return of `spawn`',
    disturbs: 'nothing; with `after`, the server and its caches',
    metrics: [
      [['ready'], 'first answered `SELECT 1` over the private socket; resolution 1 ms'],
      [['readyLog'], "the error log's ready line, stamped on arrival"],
      [['readySocket'], 'the socket accepts a connection'],
      [
        ['cpu', 'cpuUser', 'cpuSystem'],
        'CPU time of the process up to the first answer, `/proc/PID/stat`, ticks of 10 ms; includes ended threads',
      ],
      [['recovery'], "with `after: 'crash'`: from the log's \"Starting crash recovery\" to the line that InnoDB is up"],
    ],
  },
});
