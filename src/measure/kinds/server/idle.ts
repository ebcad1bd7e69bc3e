import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { familyOf } from '../../../families/families.ts';
import { parseInnodbStatus } from '../../../formats/innodb-status.ts';
import { waitUntilQuiet } from '../../../host/quiet.ts';
import type { Caution } from '../../../journal/entry.ts';
import { whileFlushing } from '../../../server/connection.ts';
import type { Server } from '../../../server/start.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveProcess, type Readings, type TrialContext } from '../../context.ts';
import { statusCounters } from '../../probes/counters.ts';
import { optionsOf, seconds } from '../../tools/options.ts';
import { defineMeasurement } from '../define.ts';

const WORD = { name: 'measure.idle', example: 'measure.idle({ limitSeconds: 60 })' };

const IDLE = {
  waited: { unit: 's', better: 'lower', title: 'time until the server was idle', resolution: 0.25 },
  historyListLength: { unit: '1', better: 'neither', title: 'history list length then' },
  dirtyPages: { unit: '1', better: 'neither', title: 'dirty pages then' },
  pendingIo: { unit: '1', better: 'neither', title: 'pending reads and writes then' },
} as const satisfies Readonly<Record<string, Metric>>;

const shape = z.strictObject({ limitSeconds: seconds(1, 3600).default(60) });

export interface IdleOptions {
  /** Seconds to wait at most; 60 by default. After that the trial goes on, with a caution. */
  readonly limitSeconds?: number;
}

/**
 * Waits until the server has nothing left to do: history is purged, dirty pages are written (with `innodb_max_dirty_pages_pct=0` and
 * a high `innodb_io_capacity`, both restored afterwards), no I/O is pending, and its CPU is quiet. Put it before a measurement that the
 * background work of an earlier step would disturb, and before counters of written bytes.
 * @throws BenchbookError `study` for a wrong option
 * @example measure.idle({ limitSeconds: 120 })
 */
function declare(options: IdleOptions = {}): Measurement<keyof typeof IDLE> {
  return { kind: 'idle', params: optionsOf(WORD, shape, options), metrics: IDLE };
}

/** MySQL never purges the last few entries of history. They fill less than one page of undo and disturb nothing. */
const POLL_MS = 100;

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const { limitSeconds } = measurement.params as z.output<typeof shape>;
  const server = await liveProcess(context);
  const began = performance.now();
  const leftMs = () => limitSeconds * 1000 - (performance.now() - began);
  const work = await whileFlushing(server.sql, async () => {
    for (;;) {
      const found = await workOf(server);
      if (busyWith(found, server).length === 0 || leftMs() <= 0) return found;
      await sleep(POLL_MS, undefined, { signal: context.signal });
    }
  });
  const { quiet, reason } = await waitUntilQuiet({ limitMs: Math.max(0, leftMs()), pids: [server.pid] });
  const left = [...busyWith(work, server), ...(quiet ? [] : [reason ?? 'its CPU was not quiet'])];
  const cautions: Caution[] = [];
  if (left.length > 0) {
    const sentence = `The server was not idle within ${limitSeconds} s: ${left.join(', ')}.`;
    cautions.push({ code: 'not-idle', sentence });
  }
  const values: Record<string, number> = { waited: (performance.now() - began) / 1000 };
  const missing: Record<string, string> = {};
  for (const [name, value] of Object.entries(work)) {
    if (value !== undefined) values[name] = value;
    else missing[name] = 'this server does not report it.';
  }
  return { values, missing, cautions };
}

/** What is still to be done; undefined where the server does not report it. */
interface Work {
  readonly historyListLength: number | undefined;
  readonly dirtyPages: number | undefined;
  readonly pendingIo: number | undefined;
}

async function workOf({ sql }: Server): Promise<Work> {
  const [row] = await sql('SHOW ENGINE INNODB STATUS');
  const counters = await statusCounters(sql);
  const pending = ['reads', 'writes', 'fsyncs'].flatMap((kind) => counters.get(`Innodb_data_pending_${kind}`) ?? []);
  return {
    historyListLength: parseInnodbStatus(String(row?.Status ?? '')).get('historyListLength'),
    dirtyPages: counters.get('Innodb_buffer_pool_pages_dirty'),
    pendingIo: pending.length === 0 ? undefined : pending.reduce((sum, each) => sum + each, 0),
  };
}

function busyWith({ historyListLength, dirtyPages, pendingIo }: Work, { build }: Server): readonly string[] {
  return [
    (historyListLength ?? 0) > familyOf(build).historyLeft && `a history list length of ${historyListLength}`,
    (dirtyPages ?? 0) > 0 && `${dirtyPages} dirty pages`,
    (pendingIo ?? 0) > 0 && `${pendingIo} pending reads and writes`,
  ].filter((text) => text !== false);
}

export const idle = defineMeasurement({
  kind: 'idle',
  declare,
  metrics: IDLE,
  needs: { process: true },
  run,
  docs: {
    forms: ['idle({ limitSeconds })'],
    how: 'a step: waits for purge, dirty pages, pending I/O and a quiet CPU of the server; a caution where it reaches the limit',
    disturbs: 'writes all dirty pages (it sets `innodb_max_dirty_pages_pct` to 0 while it waits)',
    metrics: [
      [['waited'], 'time until the server was idle; steps of 0.25 s'],
      [['historyListLength', 'dirtyPages', 'pendingIo'], 'the last values that it saw'],
    ],
  },
});
