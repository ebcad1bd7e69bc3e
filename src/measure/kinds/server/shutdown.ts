import { z } from 'zod';
import { ioOf } from '../../../lib/process/proc.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveProcess, type Readings, type TrialContext } from '../../context.ts';
import { statusCounters } from '../../probes/counters.ts';
import { optionsOf } from '../../tools/options.ts';
import { defineMeasurement } from '../define.ts';

const WORD = { name: 'measure.shutdown', example: "measure.shutdown({ mode: 'slow' })" };

const SHUTDOWN = {
  time: { unit: 's', better: 'lower', title: 'time from the request to the exit', resolution: 0.002 },
  dirtyPages: { unit: '1', better: 'neither', title: 'dirty pages when the stop was asked for' },
  bytesWritten: {
    unit: 'B',
    better: 'lower',
    title: 'bytes written while stopping',
    resolution: 4096,
    caution: 'as last seen up to 5 ms before the exit',
  },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.strictObject({ mode: z.enum(['fast', 'slow'], 'must be "fast" or "slow"').default('fast') });

const POLL_MILLISECONDS = 5;

/**
 * A stop of the server, in seconds. It ends the server; a later measurement starts it again on the same data.
 * @param options.mode `fast` (the default) sends SIGTERM. `slow` first waits for purge, which is not part of the time, and sets
 *   `innodb_fast_shutdown=0`.
 * @throws BenchbookError `study` for a wrong option
 * @example measure.shutdown({ mode: 'slow' })
 */
function declare(options: { readonly mode?: 'fast' | 'slow' } = {}): Measurement<keyof typeof SHUTDOWN> {
  return { kind: 'shutdown', params: optionsOf(WORD, shape, options), metrics: SHUTDOWN };
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { mode } = measurement.params as z.output<typeof shape>;
  const server = await liveProcess(context);
  const dirtyPages = (await statusCounters(server.sql)).get('Innodb_buffer_pool_pages_dirty');
  const before = ioOf(server.pid).writtenBytes;
  let last = before;
  const poll = setInterval(() => {
    last = ioOf(server.pid).writtenBytes ?? last;
  }, POLL_MILLISECONDS);
  const { seconds } = await context.stop(mode).finally(() => clearInterval(poll));
  const values: Record<string, number> = { time: seconds };
  const missing: Record<string, string> = {};
  if (dirtyPages === undefined)
    missing.dirtyPages = 'this server has no status counter Innodb_buffer_pool_pages_dirty.';
  else values.dirtyPages = dirtyPages;
  if (before === null || last === null) missing.bytesWritten = 'this kernel does not let /proc/PID/io be read.';
  else values.bytesWritten = last - before;
  return { values, missing };
}

export const shutdown = defineMeasurement({
  kind: 'shutdown',
  declare,
  metrics: SHUTDOWN,
  needs: { process: true },
  run,
  docs: {
    forms: ["shutdown({ mode: 'fast' | 'slow' })"],
    how: 'from SIGTERM to the exit; `slow` waits for purge first and sets `innodb_fast_shutdown=0`',
    disturbs: 'ends the server; a later measurement starts it again',
    metrics: [
      [['time'], 'from SIGTERM to the exit; waiting for purge is not part of it'],
      [['dirtyPages'], 'dirty pages when the stop was requested'],
      [['bytesWritten'], 'bytes written to storage during the stop, as last seen up to 5 ms before the exit'],
    ],
  },
});
