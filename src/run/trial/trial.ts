import { join } from 'node:path';
import type { TrialEntry } from '../../journal/entry.ts';
import type { Journal } from '../../journal/write.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { PlannedTrial } from '../../plan/order.ts';
import type { Build } from '../../server/build.ts';
import { optionsFile } from '../../server/process/argv.ts';
import type { Server, StopMode } from '../../server/start.ts';
import type { StartingPoint } from '../../server/starting-point.ts';
import type { Cell, Measurement, Setup, TrialPolicy } from '../../study/types.ts';
import { hasOwnCode, type OwnCodeProcesses } from '../own-code/own-code.ts';
import type { Keeping } from '../preserved-files.ts';
import type { Effects, Preparation } from '../world/effects.ts';
import { endInOrder, endServer } from './end-server.ts';
import { keepEvidence, keepFallen } from './failure-evidence.ts';
import { dropCells, measureLevels, throwLevelError } from './levels.ts';
import { type Deadline, deadline, raced } from './limits.ts';
import { machineFor, type TrialMachine } from './machine.ts';
import type { Roots } from './relative-paths.ts';
import { leave, ordinaryDirectory } from './trial-directory.ts';
import {
  entryOf,
  type Failure,
  failureOf,
  type Gathered,
  nothingGathered,
  readServer,
  withKernelKill,
} from './trial-record.ts';

/** Measurements to be made at one within cell, in the order declared. */
export interface Stage {
  readonly within: Cell;
  /** Labels of the factors whose values the measurements are made for. */
  readonly cell: Cell;
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
  readonly studyDirectory: string;
  readonly ownCode: OwnCodeProcesses | undefined;
  /** Copies that trials use one after the other, by what they are copies of; null where each has its own. */
  readonly copies: Map<string, string> | null;
  readonly roots: Roots;
  readonly keeping: Keeping;
  readonly effects: Effects;
  readonly preparation: Preparation;
  readonly putArtefact: Journal['putArtefact'];
  readonly phase: (text: string) => void;
  /** Told of a further directory that the trial's server runs in. */
  readonly watchAlso: (directory: string) => void;
}

/** What the phases of one trial share. */
interface Running {
  readonly request: TrialRequest;
  readonly gathered: Gathered;
  readonly machine: TrialMachine;
  readonly point: StartingPoint;
  readonly signal: AbortSignal;
}

/**
 * One trial: a fresh data directory, the machine as asked for, a fresh server, the measurements, stop, and everything taken back,
 * on every path. What fails becomes the entry's outcome and reason.
 *
 * @throws BenchbookError `interrupted` on interruption, after cleaning up: such a trial leaves no entry; `journal` where the
 *   run folder cannot be written.
 */
export async function runTrial(request: TrialRequest): Promise<TrialEntry> {
  const { planned, effects, preparation } = request;
  const gathered = nothingGathered();
  const startedAt = effects.now().toISOString();
  let begin = effects.seconds();
  let failure: Failure | null = null;
  let limit: Deadline | undefined;
  let machine: TrialMachine | undefined;
  let point: StartingPoint | undefined;
  try {
    request.phase('preparing the data directory');
    // Filling a data set is no part of the trial that happens to be the first to need it.
    point = await raced(preparation.signal, effects.startingPoint(request.build, request.setup, preparation));
    begin = effects.seconds();
    limit = deadline(preparation.signal, request.policy.trialSeconds, 'the trial');
    const host = request.setup.host ?? {};
    machine = await machineFor(
      host,
      ordinaryDirectory(request, point),
      preparation.cacheDirectory,
      effects,
      gathered,
      request.watchAlso,
    );
    const running: Running = { request, gathered, machine, point, signal: limit.signal };
    await measureAll(running);
    await machine.look();
    await raced(limit.signal, endInOrder(request, gathered, limit.signal));
    throwLevelError(gathered);
  } catch (error) {
    dropCells(gathered, error);
    failure = await failureOf(error, gathered);
    await keepEvidence(request, gathered, failure);
  } finally {
    limit?.end();
    await endServer(request, gathered, 'crash').catch(() => undefined);
    await settled(gathered.begun, 5);
    if (machine !== undefined) await keepFallen(request, gathered, failure, machine.dataDirectory);
    await machine?.revert();
    failure = withKernelKill(failure, gathered);
    if (machine !== undefined) await leave(request, point!, machine, failure === null);
  }
  if (preparation.signal.aborted) {
    throw new BenchbookError('interrupted', `interrupted during trial ${planned.trialId}`);
  }
  const durationSeconds = effects.seconds() - begin;
  const dataDirectory = machine?.dataDirectory ?? join(request.trialsDirectory, planned.trialId);
  return await entryOf(request, gathered, failure, { startedAt, durationSeconds, dataDirectory });
}

async function measureAll(running: Running): Promise<void> {
  const { request, gathered, machine, point, signal } = running;
  const { effects, copies } = request;
  if (point.data !== null) gathered.details.data = point.data;
  if (point.directory !== null && copies?.get(point.directory) !== machine.dataDirectory) {
    const copying = effects.copyDataDirectory(point.directory, machine.dataDirectory);
    gathered.begun.push(copying);
    gathered.details['host.copy'] = { ...(await raced(signal, copying)) };
  }
  // Starts are compared too.
  await inStep(running);
  const server = await start(running, signal);
  await machine.verify(server.pid);
  await measureLevels(request.stages, gathered, (stage) => measureStage(running, stage));
  await readServer(request, gathered, signal);
}

/** `signal` is that of the phase which asks for the start: once it has fired, no server is started any more. */
async function start({ request, gathered, machine }: Running, signal: AbortSignal): Promise<Server> {
  const { effects, build, setup, policy, preparation } = request;
  const options = setup.options ?? {};
  request.phase('starting the server');
  const prefix = [...request.prefix, ...(await raced(signal, machine.prepare(build, options)))];
  // startServer keeps the limit itself, with better evidence; this one is for a start that hangs.
  const limit = deadline(signal, policy.startSeconds + 10, 'the start of the server');
  const starting = effects.startServer(build, {
    dataDirectory: machine.dataDirectory,
    options,
    env: setup.env ?? {},
    ...(setup.engine === undefined ? {} : { engine: setup.engine }),
    prefix,
    core: request.keeping.keep.includes('core'),
    spawned: (pid) => gathered.pids.push(pid),
    startSeconds: policy.startSeconds,
    stopSeconds: policy.stopSeconds,
    purgeSeconds: policy.purgeSeconds,
    // A statement is limited by its measurement alone.
    statementSeconds: Math.max(3600, policy.measurementSeconds),
    cacheDirectory: preparation.cacheDirectory,
    signal: limit.signal,
  });
  gathered.begun.push(starting);
  try {
    gathered.server = await limit.race(starting);
  } catch (error) {
    // A start that comes through after its limit must not leave a server behind.
    starting.then((late) => late.stop('crash')).catch(() => undefined);
    throw error;
  } finally {
    limit.clear();
  }
  gathered.argv ??= gathered.server.argv;
  const socket = gathered.server.argv.find((each) => each.startsWith('--socket='))?.slice('--socket='.length);
  if (socket !== undefined) gathered.sockets.push(socket);
  if (gathered.server.argv.length > 0) gathered.texts.set('options file', optionsFile(gathered.server.argv));
  return gathered.server;
}

/** In a duet both begin at the same moment. */
async function inStep({ request, signal }: Running): Promise<void> {
  if (request.step !== undefined) await raced(signal, request.step());
}

async function measureStage(running: Running, { within, cell, values, measurements }: Stage): Promise<void> {
  const { request, gathered, machine, signal } = running;
  const suffix = Object.keys(within).length === 0 ? '' : ` at ${cellText(within)}`;
  for (const [name, measurement] of Object.entries(measurements)) {
    const { ownCode } = request;
    const usesCode = ownCode !== undefined && hasOwnCode(measurement);
    if (usesCode) await ownCode.ready(signal);
    await inStep(running);
    request.phase(`measuring ${name}${suffix}`);
    const where = usesCode ? ownCode.place(name) : '';
    const limit = deadline(signal, request.policy.measurementSeconds, `measurement "${name}"${where}${suffix}`);
    // What the measurement itself still does when its time is up must not touch the servers of later ones.
    const stop = async (mode: StopMode) => {
      await readServer(request, gathered, limit.signal);
      limit.signal.throwIfAborted();
      return await endServer(request, gathered, mode, limit.signal);
    };
    const context = {
      build: request.build,
      dataDirectory: machine.dataDirectory,
      studyDirectory: request.studyDirectory,
      // A getter: after a restart the measurement must see the new server.
      get running() {
        return gathered.server;
      },
      restart: () => {
        const restarting = stop('fast').then(() => {
          limit.signal.throwIfAborted();
          return start(running, limit.signal);
        });
        gathered.begun.push(restarting);
        return restarting;
      },
      stop,
      values,
      seed: Math.max(1, request.planned.block),
      cacheDirectory: request.preparation.cacheDirectory,
      signal: limit.signal,
      ...(usesCode ? { ownCode: ownCode.at(cell, name, limit.signal) } : {}),
      progress: (text: string) => request.phase(`measuring ${name}${suffix}: ${text}`),
    };
    try {
      const performed = await limit.race(request.effects.perform(name, measurement, context));
      gathered.samples.push(...performed.samples.map((series) => (suffix === '' ? series : { ...series, within })));
      gathered.cautions.push(...performed.cautions);
      if (performed.moments !== undefined) gathered.moments = [...performed.moments];
      if (performed.details !== undefined) gathered.details[`${name}${suffix}`] = performed.details;
      for (const artefact of performed.artefacts ?? []) gathered.texts.set(`${artefact.name}${suffix}`, artefact.text);
    } finally {
      limit.end();
    }
  }
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
