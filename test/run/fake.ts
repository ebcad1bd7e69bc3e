import { createHash } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchbookError } from '../../src/lib/errors.ts';
import type { MeasureResult, TrialContext } from '../../src/measure/context.ts';
import type { Effects } from '../../src/run/world/effects.ts';
import type { Build } from '../../src/server/build.ts';
import type { Exit, Server, StartRequest } from '../../src/server/start.ts';
import type { Measurement } from '../../src/study/types.ts';

/** What a fake server or measurement does instead of the ordinary. */
export interface Script {
  readonly build?: (source: string) => Partial<Build>;
  readonly start?: (request: StartRequest) => Promise<void>;
  readonly perform?: (
    name: string,
    measurement: Measurement,
    context: TrialContext,
  ) => Promise<Partial<MeasureResult> | undefined>;
  /** Declared seconds of a trial's parts, by the fake clock. */
  readonly secondsPerStart?: number;
  readonly hostClass?: Readonly<Record<string, string>>;
}

export interface Fake {
  readonly effects: Effects;
  /** Servers that run now: must be none when a run has ended. */
  readonly alive: Set<Server>;
  readonly directories: Set<string>;
  /** What was done, in order: "start 128M", "perform m", "stop fast". */
  readonly log: string[];
  /** Moves the wall clock. */
  setBack(seconds: number): void;
}

/** A world without servers and with a clock of its own, for tests of scheduling. */
export function fakeWorld(script: Script = {}): Fake {
  const alive = new Set<Server>();
  const directories = new Set<string>();
  const log: string[] = [];
  let seconds = 0;
  let offset = 0;
  const pass = (by: number) => {
    seconds += by;
  };
  const effects: Effects = {
    readHost: async () => ({ hostClass: script.hostClass ?? { cpu: 'fake' }, facts: {} }),
    resolveBuild: async (source) => fakeBuild(JSON.stringify(source), script),
    startingPoint: async (_, setup) => ({ directory: '/pristine', data: null, shared: setup.data?.readOnly ?? false }),
    copyDataDirectory: async (_, to) => {
      log.push('copy');
      directories.add(to);
      return { bytes: 0, seconds: 0, extents: null };
    },
    collectEvidence: async () => ({ 'process list': 'none' }),
    allowCores: async () => null,
    abortForCore: async () => undefined,
    preserveFiles: async () => [],
    startServer: async (build, request) => {
      log.push(`start ${Object.values(request.options).join(' ')}`);
      pass(script.secondsPerStart ?? 1);
      await script.start?.(request);
      const server = fakeServer(build, request, alive, log);
      alive.add(server);
      return server;
    },
    readSettings: async () => [],
    readVariables: async () => ({ version: 'fake' }),
    prepareTools: async () => undefined,
    perform: async (name, measurement, context) => {
      log.push(`perform ${name}`);
      pass(1);
      const given = await script.perform?.(name, measurement, context);
      return { samples: samplesOf(name, measurement, context), cautions: [], ...given };
    },
    reapLeftovers: async () => [],
    workDirectory: async (cache) => {
      const path = join(cache, 'work', String(process.pid));
      await mkdir(path, { recursive: true });
      return path;
    },
    removeDirectory: async (path) => {
      directories.delete(path);
      await rm(path, { recursive: true, force: true });
    },
    applyStorage: async () => undefined,
    applyControls: async () => ({
      prefix: [],
      effective: [],
      cautions: [],
      refused: [],
      applyForStart: async () => [],
      verify: async () => [],
      memoryUse: async () => ({}),
      revert: async () => [],
    }),
    watchHost: async () => ({ end: async () => ({ figures: {}, cautions: [] }) }),
    canary: async () => ({ cpuSeconds: 1 }),
    watchOver: () => ({ also: () => undefined, dismiss: () => undefined }),
    lockHost: async () => ({ release: async () => undefined }),
    halvesOfCores: async () => ['0', '1'],
    now: () => new Date(Date.UTC(2026, 0, 1) + (seconds + offset) * 1000),
    seconds: () => seconds,
  };
  const setBack = (by: number) => {
    offset -= by;
  };
  return { effects, alive, directories, log, setBack };
}

/** A value that depends on the variant alone, so that two runs can be compared. */
function samplesOf(name: string, measurement: Measurement, context: TrialContext) {
  const digest = createHash('sha256').update(JSON.stringify(context.values)).digest();
  return Object.keys(measurement.metrics).map((metric) => ({
    metric: `${name}.${metric}`,
    values: [digest.readUInt16LE(0) / 100],
  }));
}

function fakeBuild(source: string, script: Script): Build {
  const id = createHash('sha256').update(source).digest('hex');
  return {
    id: id.slice(0, 16),
    family: 'mariadb',
    version: '10.11.0-fake',
    sourceRevision: null,
    executable: '/fake/mariadbd',
    executableSha256: id,
    command: ['/fake/mariadbd'],
    env: {},
    defaults: [],
    obtained: { source },
    toolchain: null,
    ...script.build?.(source),
  };
}

let started = 0;

function fakeServer(build: Build, request: StartRequest, alive: Set<Server>, log: string[]): Server {
  started += 1;
  const socketPath = `/tmp/benchbook-${started}/s`;
  let exit: (exit: Exit) => void = () => undefined;
  const exited = new Promise<Exit>((resolve) => {
    exit = resolve;
  });
  const server: Server = {
    build,
    pid: 1,
    socketPath,
    dataDirectory: request.dataDirectory,
    argv: [...(request.prefix ?? []), '/fake/mariadbd', `--datadir=${request.dataDirectory}`, `--socket=${socketPath}`],
    moments: [{ name: 'spawn', atSeconds: 0 }],
    cpuAtReady: { userSeconds: 0, systemSeconds: 0 },
    exited,
    logText: () => `started on ${request.dataDirectory} at ${socketPath}\n`,
    sql: Object.assign(
      async (text: string) => {
        if (text !== 'crash') return [];
        exit({ code: null, signal: 'SIGSEGV' });
        alive.delete(server);
        throw new BenchbookError('server', 'the connection was lost');
      },
      { time: async () => ({ seconds: 0, rows: [] }) },
    ),
    connect: async () => ({ sql: server.sql, close: async () => undefined }),
    stop: async (mode) => {
      log.push(`stop ${mode}`);
      alive.delete(server);
      exit({ code: 0, signal: null });
      return { seconds: 0 };
    },
  };
  return server;
}
