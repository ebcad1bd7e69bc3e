import { join } from 'node:path';
import { BenchbookError, sentenceOf } from '../errors.ts';
import type { Caution, JsonValue, Moment, Outcome, Series, TrialEntry } from '../journal/entry.ts';
import type { Journal } from '../journal/write.ts';
import type { TrialContext } from '../measure/context.ts';
import type { PlannedTrial } from '../plan/order.ts';
import type { Build } from '../server/build.ts';
import type { Server, StopMode } from '../server/start.ts';
import type { Cell, Measurement, Setup, TrialPolicy } from '../study/types.ts';
import type { Effects, Preparation } from './effects.ts';
import { deadline } from './limits.ts';
import { type Roots, rooted } from './roots.ts';

/** Measurements to be made at one within cell, in the order declared. */
export interface Stage {
  readonly within: Cell;
  readonly values: Readonly<Record<string, unknown>>;
  readonly measurements: Readonly<Record<string, Measurement>>;
}

export interface TrialRequest {
  readonly planned: Omit<PlannedTrial, 'withinOrder'>;
  readonly counted: boolean;
  readonly build: Build;
  readonly setup: Setup;
  readonly stages: readonly Stage[];
  readonly policy: TrialPolicy;
  /** Put before the server's command: `taskset -c 0`. */
  readonly prefix: readonly string[];
  /** Waits for a trial that runs in step with this one, before each measurement. */
  readonly step?: () => Promise<void>;
  /** Where the trial's own data directory is made, 0700. */
  readonly trialsDirectory: string;
  readonly roots: Roots;
  readonly effects: Effects;
  readonly preparation: Preparation;
  readonly putArtefact: Journal['putArtefact'];
  readonly phase: (text: string) => void;
}

/** What a trial has gathered when it ends, however it ends. */
interface Gathered {
  server: Server | undefined;
  argv: readonly string[] | undefined;
  settings: TrialEntry['settings'];
  variables: TrialEntry['variables'];
  readonly samples: Series[];
  readonly cautions: Caution[];
  moments: Moment[];
  readonly details: Record<string, JsonValue>;
  readonly texts: Map<string, string>;
  /** Work that was left when its time was up; it may still write into the data directory. */
  readonly begun: Promise<unknown>[];
}

/**
 * One trial: a fresh data directory, a fresh server, the measurements, stop, and everything removed again, on every path.
 * What fails becomes the entry's outcome and reason.
 *
 * @throws BenchbookError `interrupted` on interruption, after cleaning up: such a trial leaves no entry; `journal` where the
 *   run folder cannot be written.
 */
export async function runTrial(request: TrialRequest): Promise<TrialEntry> {
  const { planned, effects } = request;
  const startedAt = effects.now().toISOString();
  const begin = effects.seconds();
  const dataDirectory = join(request.trialsDirectory, planned.trialId);
  const gathered: Gathered = {
    server: undefined,
    argv: undefined,
    settings: undefined,
    variables: undefined,
    samples: [],
    cautions: [],
    moments: [],
    details: {},
    texts: new Map(),
    begun: [],
  };
  const limit = deadline(request.preparation.signal, request.policy.trialSeconds, 'the trial');
  let failure: { readonly outcome: Outcome; readonly reason: string } | null = null;
  try {
    await measureAll(request, dataDirectory, gathered, limit.signal);
    await endServer(request, gathered, 'fast');
  } catch (error) {
    failure = await failureOf(error, gathered);
    if (limit.signal.aborted && request.preparation.signal.aborted) failure = null;
  } finally {
    limit.clear();
    await endServer(request, gathered, 'crash').catch(() => undefined);
    await settled(gathered.begun, 5);
    await effects.removeDirectory(dataDirectory).catch(() => undefined);
  }
  if (request.preparation.signal.aborted) {
    throw new BenchbookError('interrupted', `interrupted during trial ${planned.trialId}`);
  }
  return await entryOf(request, gathered, failure, dataDirectory, { startedAt, begin });
}

async function measureAll(
  request: TrialRequest,
  dataDirectory: string,
  gathered: Gathered,
  signal: AbortSignal,
): Promise<void> {
  const { effects, build, setup, phase } = request;
  const options = setup.options ?? {};
  const start = async (): Promise<Server> => {
    const limit = deadline(signal, request.policy.startSeconds + 10, 'the start of the server');
    try {
      // startServer keeps the limit itself, with better evidence; ours is for one that hangs.
      const starting = effects.startServer(build, {
        dataDirectory,
        options,
        env: setup.env ?? {},
        prefix: request.prefix,
        startSeconds: request.policy.startSeconds,
        cacheDirectory: request.preparation.cacheDirectory,
        signal: limit.signal,
      });
      gathered.begun.push(starting);
      gathered.server = await raceStart(starting, limit.race(starting));
    } finally {
      limit.clear();
    }
    gathered.argv ??= gathered.server.argv;
    return gathered.server;
  };
  phase('preparing the data directory');
  const pristine = await raced(signal, effects.pristineDirectory(build, options, { ...request.preparation, signal }));
  const copying = effects.copyDataDirectory(pristine, dataDirectory);
  gathered.begun.push(copying);
  await raced(signal, copying);
  phase('starting the server');
  const server = await start();
  gathered.settings = await raced(signal, effects.readSettings(server, options));
  gathered.variables = await raced(signal, effects.readVariables(server));
  const restart = async (): Promise<Server> => {
    await endServer(request, gathered, 'fast');
    return await start();
  };
  const stop = (mode: StopMode) => endServer(request, gathered, mode);
  for (const stage of request.stages)
    await measureStage(request, stage, dataDirectory, gathered, { restart, stop }, signal);
}

async function measureStage(
  request: TrialRequest,
  stage: Stage,
  dataDirectory: string,
  gathered: Gathered,
  { restart, stop }: Pick<TrialContext, 'restart' | 'stop'>,
  signal: AbortSignal,
): Promise<void> {
  const suffix = Object.keys(stage.within).length === 0 ? '' : ` at ${cellText(stage.within)}`;
  for (const [name, measurement] of Object.entries(stage.measurements)) {
    if (request.step !== undefined) await raced(signal, request.step());
    request.phase(`measuring ${name}${suffix}`);
    const limit = deadline(signal, request.policy.measurementSeconds, `measurement "${name}"${suffix}`);
    try {
      const context = {
        build: request.build,
        dataDirectory,
        // A getter: after a restart the measurement must see the new server.
        get running() {
          return gathered.server;
        },
        restart,
        stop,
        values: stage.values,
        seed: Math.max(1, request.planned.block),
        cacheDirectory: request.preparation.cacheDirectory,
        signal: limit.signal,
        progress: (text: string) => request.phase(`measuring ${name}${suffix}: ${text}`),
      };
      const performed = await limit.race(request.effects.perform(name, measurement, context));
      const { within } = stage;
      gathered.samples.push(...performed.samples.map((series) => (suffix === '' ? series : { ...series, within })));
      gathered.cautions.push(...performed.cautions);
      if (performed.moments !== undefined) gathered.moments = [...performed.moments];
      if (performed.details !== undefined) gathered.details[`${name}${suffix}`] = performed.details;
      for (const artefact of performed.artefacts ?? []) gathered.texts.set(`${artefact.name}${suffix}`, artefact.text);
    } finally {
      limit.clear();
    }
  }
}

/** A slow stop waits for purge first. */
const STOP_SECONDS: Readonly<Record<StopMode, number>> = { fast: 120, slow: 1500, crash: 8 };

/** Keeps the log and ends the server; one that does not end in time is killed. */
async function endServer(
  request: TrialRequest,
  gathered: Gathered,
  mode: StopMode,
): Promise<{ readonly seconds: number }> {
  const { server } = gathered;
  if (server === undefined) return { seconds: 0 };
  request.phase('stopping the server');
  if (gathered.moments.length === 0) gathered.moments = [...server.moments];
  try {
    const limit = deadline(new AbortController().signal, STOP_SECONDS[mode], 'the stop of the server');
    const stopped = await limit.race(server.stop(mode)).finally(() => limit.clear());
    gathered.server = undefined;
    return stopped;
  } finally {
    keepLog(gathered, server);
  }
}

function keepLog(gathered: Gathered, server: Server): void {
  const before = gathered.texts.get('error log');
  const text = server.logText();
  if (before?.endsWith(text)) return;
  gathered.texts.set(
    'error log',
    before === undefined ? text : `${before}\n--- the server was started again ---\n${text}`,
  );
}

/** A start that comes through after its limit must not leave a server behind. */
async function raceStart(starting: Promise<Server>, race: Promise<Server>): Promise<Server> {
  try {
    return await race;
  } catch (error) {
    starting.then((late) => late.stop('crash')).catch(() => undefined);
    throw error;
  }
}

async function failureOf(
  error: unknown,
  gathered: Gathered,
): Promise<{ readonly outcome: Outcome; readonly reason: string }> {
  const known = error instanceof BenchbookError ? error : null;
  for (const [name, text] of Object.entries(known?.evidence ?? {})) gathered.texts.set(name, text);
  const reason = sentenceOf(error);
  if (known?.outcome !== undefined) return { outcome: known.outcome, reason };
  const exit = gathered.server === undefined ? null : await endedByItself(gathered.server);
  if (exit === null) return { outcome: 'failed', reason };
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return { outcome: 'crashed', reason: `the server ended by itself (${how}): ${reason}` };
}

/** A connection is lost some milliseconds before the exit is known. */
async function endedByItself(server: Server) {
  const soon = new Promise<null>((resolve) => setTimeout(resolve, 200, null));
  return await Promise.race([server.exited.catch(() => null), soon]);
}

async function entryOf(
  request: TrialRequest,
  gathered: Gathered,
  failure: { readonly outcome: Outcome; readonly reason: string } | null,
  dataDirectory: string,
  clock: { readonly startedAt: string; readonly begin: number },
): Promise<TrialEntry> {
  const { planned } = request;
  const socket = gathered.argv?.find((each) => each.startsWith('--socket='))?.slice('--socket='.length);
  const rewrite = rooted({
    ...request.roots,
    data: dataDirectory,
    'data.tmp': `${dataDirectory}.tmp`,
    ...(socket === undefined ? {} : { socket: join(socket, '..') }),
  });
  const artefacts = [];
  for (const [name, text] of gathered.texts) artefacts.push(await request.putArtefact(name, rewrite(text)));
  const plain = {
    ...(failure === null ? {} : { reason: failure.reason }),
    ...(gathered.argv === undefined ? {} : { argv: gathered.argv }),
    ...(gathered.settings === undefined ? {} : { settings: gathered.settings }),
    ...(gathered.variables === undefined ? {} : { variables: gathered.variables }),
    ...(gathered.moments.length === 0 ? {} : { moments: gathered.moments }),
    ...(Object.keys(gathered.details).length === 0 ? {} : { details: gathered.details }),
  };
  return {
    type: 'trial',
    trialId: planned.trialId,
    variantId: planned.variant.id,
    cell: planned.variant.cell,
    block: planned.block,
    position: planned.position,
    startedAt: clock.startedAt,
    durationSeconds: request.effects.seconds() - clock.begin,
    counted: request.counted,
    outcome: failure?.outcome ?? 'ok',
    buildId: request.build.id,
    ...(rewrite(plain as unknown as JsonValue) as unknown as typeof plain),
    samples: gathered.samples,
    cautions: rewrite(gathered.cautions as unknown as JsonValue) as unknown as Caution[],
    artefacts,
  };
}

function raced<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const limit = deadline(signal, Number.POSITIVE_INFINITY, '');
  return limit.race(work).finally(() => limit.clear());
}

async function settled(work: readonly Promise<unknown>[], limitSeconds: number): Promise<void> {
  const limit = deadline(new AbortController().signal, limitSeconds, 'work that was left');
  await limit.race(Promise.allSettled(work)).catch(() => undefined);
  limit.clear();
}

function cellText(cell: Cell): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name}=${String(label)}`)
    .join(', ');
}
