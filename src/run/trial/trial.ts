import { join } from 'node:path';
import type { TrialEntry } from '../../journal/entry.ts';
import { assignmentsText } from '../../lib/cell-key.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { withTimeLimit } from '../../lib/time-limit.ts';
import type { Server, StopMode } from '../../server/start.ts';
import { optionsFile } from '../../server/start.ts';
import type { StartingPoint } from '../../server/starting-point.ts';
import { hasOwnCode } from '../own-code/own-code.ts';
import { endInOrder, endServer } from './end-server.ts';
import { collectHangEvidence, preserveFailureEvidence } from './failure-evidence.ts';
import { dropCells, measureLevels, throwLevelError } from './levels.ts';
import { type Deadline, deadline, withAbort } from './limits.ts';
import { machineFor, type TrialMachine } from './machine.ts';
import { ordinaryDirectory, releaseDirectory } from './trial-directory.ts';
import {
  emptyRecord,
  entryOf,
  type Failure,
  failureOf,
  readServer,
  type TrialRecord,
  withKernelKill,
} from './trial-record.ts';
import type { Stage, TrialRequest } from './trial-request.ts';

/** What the phases of one trial share. */
interface Running {
  readonly request: TrialRequest;
  readonly record: TrialRecord;
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
  const record = emptyRecord();
  const startedAt = effects.now().toISOString();
  let begin = effects.seconds();
  let failure: Failure | null = null;
  let limit: Deadline | undefined;
  let machine: TrialMachine | undefined;
  let point: StartingPoint | undefined;
  try {
    request.phase('preparing the data directory');
    // The time to fill a data set does not count for the trial that needs it first.
    point = await withAbort(preparation.signal, effects.startingPoint(request.build, request.setup, preparation));
    begin = effects.seconds();
    limit = deadline(preparation.signal, request.policy.trialSeconds, 'the trial');
    const host = request.setup.host ?? {};
    machine = await machineFor(
      host,
      ordinaryDirectory(request, point),
      preparation.cacheDirectory,
      effects,
      record,
      request.watchAlso,
    );
    const running: Running = { request, record, machine, point, signal: limit.signal };
    await measureAll(running);
    await machine.recordMemoryUse();
    await withAbort(limit.signal, endInOrder(request, record, limit.signal));
    throwLevelError(record);
  } catch (error) {
    dropCells(record, error);
    failure = await failureOf(error, record);
    await collectHangEvidence(request, record, failure);
  } finally {
    limit?.end();
    await endServer(request, record, 'crash').catch(() => undefined);
    await settled(record.begun, 5);
    if (machine !== undefined) await preserveFailureEvidence(request, record, failure, machine.dataDirectory);
    await machine?.revert();
    failure = withKernelKill(failure, record);
    if (machine !== undefined) await releaseDirectory(request, point!, machine, failure === null);
  }
  if (preparation.signal.aborted) {
    throw new BenchbookError('interrupted', `interrupted during trial ${planned.trialId}`);
  }
  const durationSeconds = effects.seconds() - begin;
  const dataDirectory = machine?.dataDirectory ?? join(request.trialsDirectory, planned.trialId);
  return await entryOf(request, record, failure, { startedAt, durationSeconds, dataDirectory });
}

async function measureAll(running: Running): Promise<void> {
  const { request, record, machine, point, signal } = running;
  const { effects, copies } = request;
  if (point.data !== null) record.details.data = point.data;
  if (point.directory !== null && copies?.get(point.directory) !== machine.dataDirectory) {
    const copying = effects.copyDataDirectory(point.directory, machine.dataDirectory);
    record.begun.push(copying);
    record.details['host.copy'] = { ...(await withAbort(signal, copying)) };
  }
  // Start-up times are compared too, so both halves of a duet start together.
  await inStep(running);
  const server = await start(running, signal);
  await machine.verify(server.pid);
  await measureLevels(request.stages, record, (stage) => measureStage(running, stage));
  await readServer(request, record, signal);
}

/** Starts the server. After `signal`, that of the calling phase, has fired, no server is started any more. */
async function start({ request, record, machine }: Running, signal: AbortSignal): Promise<Server> {
  const { effects, build, setup, policy, preparation } = request;
  const options = setup.options ?? {};
  request.phase('starting the server');
  const prefix = [...request.prefix, ...(await withAbort(signal, machine.prepare(build, options)))];
  // startServer has the same limit and gives better evidence; this one is for a start that hangs.
  const limit = deadline(signal, policy.startSeconds + 10, 'the start of the server');
  const starting = effects.startServer(build, {
    dataDirectory: machine.dataDirectory,
    options,
    env: setup.env ?? {},
    ...(setup.engine === undefined ? {} : { engine: setup.engine }),
    prefix,
    core: request.preservation.keep.includes('core'),
    spawned: (pid) => record.pids.push(pid),
    startSeconds: policy.startSeconds,
    stopSeconds: policy.stopSeconds,
    purgeSeconds: policy.purgeSeconds,
    // The limit of a statement is that of its measurement.
    statementSeconds: Math.max(3600, policy.measurementSeconds),
    cacheDirectory: preparation.cacheDirectory,
    signal: limit.signal,
  });
  record.begun.push(starting);
  try {
    record.server = await limit.race(starting);
  } catch (error) {
    // A start that succeeds after its limit must not leave a server behind.
    starting.then((late) => late.stop('crash')).catch(() => undefined);
    throw error;
  } finally {
    limit.clear();
  }
  record.argv ??= record.server.argv;
  const socket = record.server.argv.find((each) => each.startsWith('--socket='))?.slice('--socket='.length);
  if (socket !== undefined) record.sockets.push(socket);
  if (record.server.argv.length > 0) record.texts.set('options file', optionsFile(record.server.argv));
  return record.server;
}

/** In a duet both trials begin at the same moment. */
async function inStep({ request, signal }: Running): Promise<void> {
  if (request.step !== undefined) await withAbort(signal, request.step());
}

async function measureStage(running: Running, { within, cell, values, measurements }: Stage): Promise<void> {
  const { request, record, machine, signal } = running;
  const suffix = Object.keys(within).length === 0 ? '' : ` at ${assignmentsText(within)}`;
  for (const [name, measurement] of Object.entries(measurements)) {
    const { ownCode } = request;
    const usesCode = ownCode !== undefined && hasOwnCode(measurement);
    if (usesCode) await ownCode.ready(signal);
    await inStep(running);
    request.phase(`measuring ${name}${suffix}`);
    const where = usesCode ? ownCode.place(name) : '';
    const limit = deadline(signal, request.policy.measurementSeconds, `measurement "${name}"${where}${suffix}`);
    // When its time is up, the measurement may still run; it must not touch the servers of later ones.
    const stop = async (mode: StopMode) => {
      await readServer(request, record, limit.signal);
      limit.signal.throwIfAborted();
      return await endServer(request, record, mode, limit.signal);
    };
    const context = {
      build: request.build,
      dataDirectory: machine.dataDirectory,
      studyDirectory: request.studyDirectory,
      // A getter: after a restart the measurement must see the new server.
      get running() {
        return record.server;
      },
      restart: () => {
        const restarting = stop('fast').then(() => {
          limit.signal.throwIfAborted();
          return start(running, limit.signal);
        });
        record.begun.push(restarting);
        return restarting;
      },
      stop,
      values,
      seed: Math.max(1, request.planned.block),
      cacheDirectory: request.preparation.cacheDirectory,
      runState: request.runState,
      signal: limit.signal,
      ...(usesCode ? { ownCode: ownCode.at(cell, name, limit.signal) } : {}),
      progress: (text: string) => request.phase(`measuring ${name}${suffix}: ${text}`),
    };
    try {
      const performed = await limit.race(request.effects.perform(name, measurement, context));
      record.samples.push(...performed.samples.map((series) => (suffix === '' ? series : { ...series, within })));
      record.cautions.push(...performed.cautions);
      if (performed.moments !== undefined) record.moments = [...performed.moments];
      if (performed.details !== undefined) record.details[`${name}${suffix}`] = performed.details;
      for (const artefact of performed.artefacts ?? []) record.texts.set(`${artefact.name}${suffix}`, artefact.text);
    } finally {
      limit.end();
    }
  }
}

async function settled(work: readonly Promise<unknown>[], limitSeconds: number): Promise<void> {
  await withTimeLimit(Promise.allSettled(work), limitSeconds * 1000, () => undefined);
}
