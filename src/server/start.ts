import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mysql2/promise';
import { BenchbookError, sentenceOf } from '../errors.ts';
import { decisiveError, isReadyLine, withoutIdentity } from '../formats/errorLog.ts';
import type { Moment } from '../journal/entry.ts';
import type { Options } from '../study/types.ts';
import type { Build } from './build.ts';
import { query, type Row } from './connection.ts';
import { type CpuTime, cpuTimeOf } from './cpu.ts';
import { defaultCacheDirectory } from './environment.ts';
import { optionArguments } from './options.ts';
import { awaitReady } from './ready.ts';
import { register, registryDirectory } from './registry.ts';
import { lastLines } from './run-tool.ts';
import { stopServer } from './stop.ts';

export interface StartRequest {
  readonly dataDirectory: string;
  readonly options: Options;
  readonly env?: Readonly<Record<string, string>>;
  /** Put before the command: `taskset -c 0`, a cgroup wrapper. */
  readonly prefix?: readonly string[];
  /** How long it may take to answer the first query. */
  readonly startSeconds: number;
  /** The cache folder, where running servers are written down; the default one where absent. */
  readonly cacheDirectory?: string;
  readonly signal?: AbortSignal;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** A server that has answered its first query. */
export interface Server {
  readonly build: Build;
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  /** The exact command line. */
  readonly argv: readonly string[];
  /** Seconds from the return of spawn, in the order in which they came; see `MomentName`. Grows as the log does. */
  readonly moments: readonly Moment[];
  /** CPU time of the process up to its first answer. */
  readonly cpuAtReady: CpuTime;
  readonly exited: Promise<Exit>;
  logText(): string;
  /** One statement on a connection that is kept open; see `query` in connection.ts for types and errors. */
  sql(text: string, values?: readonly unknown[]): Promise<readonly Row[]>;
  /** Ends it: `fast` as SIGTERM does, `slow` after purge with a full flush, `crash` with SIGKILL. Seconds from the request to the exit. */
  stop(mode: 'fast' | 'slow' | 'crash'): Promise<{ readonly seconds: number }>;
}

/**
 * Starts a server on a data directory and waits for its first answer to `SELECT 1`.
 * @throws BenchbookError('server') where it exits first (outcome `failed` or `crashed`, with its own error line), or
 * does not answer in time (`timeout`); ('interrupted') where the signal fires. It never leaves a process behind.
 */
export async function startServer(build: Build, request: StartRequest): Promise<Server> {
  request.signal?.throwIfAborted();
  const socketFolder = await mkdtemp(join(shortTemporaryFolder(), 'benchbook-'));
  const socketPath = join(socketFolder, 's');
  await mkdir(`${request.dataDirectory}.tmp`, { recursive: true });
  const argv = [...(request.prefix ?? []), ...serverArguments(build, request, socketFolder)];
  const registration = await register(
    registryDirectory(request.cacheDirectory ?? defaultCacheDirectory()),
    request.dataDirectory,
    socketFolder,
  );
  const cleanUp = async () => {
    await rm(socketFolder, { recursive: true, force: true });
    await rm(`${request.dataDirectory}.tmp`, { recursive: true, force: true });
    await registration.done();
  };
  const { child, moments, elapsedSeconds, log, exited } = launch(argv, { ...build.env, ...request.env });
  if (child.pid === undefined) {
    await cleanUp();
    throw new BenchbookError(
      'server',
      `The server could not be started: ${sentenceOf(await exited.catch((error) => error))}`,
    );
  }
  const afterExit = exited.then(cleanUp, cleanUp);
  try {
    await registration.spawned(child.pid);
    const { connection } = await awaitReady({
      socketPath,
      exited,
      elapsedSeconds,
      moments,
      limitSeconds: request.startSeconds,
      signal: request.signal,
    });
    const cpuAtReady = cpuTimeOf(child.pid);
    return running({
      build,
      child,
      socketPath,
      request,
      argv,
      moments,
      cpuAtReady,
      exited,
      afterExit,
      log,
      connection,
    });
  } catch (error) {
    child.kill('SIGKILL');
    await afterExit;
    throw withLog(error, log.text);
  }
}

interface Parts {
  readonly build: Build;
  readonly child: ChildProcess;
  readonly socketPath: string;
  readonly request: StartRequest;
  readonly argv: readonly string[];
  readonly moments: readonly Moment[];
  readonly cpuAtReady: CpuTime;
  readonly exited: Promise<Exit>;
  readonly afterExit: Promise<void>;
  readonly log: { readonly text: string };
  readonly connection: Connection;
}

function running(parts: Parts): Server {
  const { build, child, socketPath, request, argv, moments, cpuAtReady, exited, afterExit, log, connection } = parts;
  connection.on('error', () => undefined);
  return {
    build,
    pid: child.pid!,
    socketPath,
    dataDirectory: request.dataDirectory,
    argv,
    moments,
    cpuAtReady,
    exited,
    logText: () => withoutIdentity(log.text),
    sql: (text, values) => query(connection, text, values),
    async stop(mode) {
      const stopped = await stopServer({ child, connection, exited, family: build.family }, mode).catch((error) => {
        throw withLog(error, log.text);
      });
      await afterExit;
      return stopped;
    },
  };
}

function serverArguments(build: Build, request: StartRequest, socketFolder: string): readonly string[] {
  const asRoot = process.getuid?.() === 0 ? [`--user=${userInfo().username}`] : [];
  const major = Number.parseInt(build.version, 10);
  const mysqlOnly = build.family === 'mysql' && !(major < 8) ? ['--mysqlx=OFF', '--secure-file-priv='] : [];
  return [
    ...build.command,
    '--no-defaults',
    ...build.defaults,
    ...asRoot,
    `--datadir=${request.dataDirectory}`,
    `--tmpdir=${request.dataDirectory}.tmp`,
    `--socket=${join(socketFolder, 's')}`,
    `--pid-file=${join(socketFolder, 'pid')}`,
    '--skip-networking',
    ...mysqlOnly,
    ...optionArguments(request.options),
  ];
}

/** A socket's path may have at most 107 bytes: a long TMPDIR is passed over. */
function shortTemporaryFolder(): string {
  return tmpdir().length <= 80 ? tmpdir() : '/tmp';
}

function launch(argv: readonly string[], env: Readonly<Record<string, string>>) {
  const moments: Moment[] = [];
  const log = { text: '' };
  const [program = '', ...rest] = argv;
  const before = process.hrtime.bigint();
  const child = spawn(program, rest, {
    // A session of its own, so that Ctrl-C on the terminal reaches Benchbook alone and the server is stopped in order.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin', TZ: 'UTC', LC_ALL: 'C', ...env },
  });
  const start = process.hrtime.bigint();
  const elapsedSeconds = () => Number(process.hrtime.bigint() - start) / 1e9;
  moments.push({ name: 'spawn', atSeconds: Number(before - start) / 1e9 });
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  exited.catch(() => undefined);
  for (const stream of [child.stdout, child.stderr]) {
    let rest = '';
    stream.setEncoding('utf8');
    stream.on('data', (chunk: string) => {
      const atSeconds = elapsedSeconds();
      log.text += chunk;
      const lines = (rest + chunk).split('\n');
      rest = lines.pop()!;
      for (const text of lines) {
        if (isReadyLine(text) && !moments.some((moment) => moment.name === 'ready line'))
          moments.push({ name: 'ready line', atSeconds });
        moments.push({ name: 'log', atSeconds, text: withoutIdentity(text) });
      }
    });
  }
  return { child, moments, elapsedSeconds, log, exited };
}

function withLog(error: unknown, log: string): BenchbookError {
  const known =
    error instanceof BenchbookError ? error : new BenchbookError('server', sentenceOf(error), { cause: error });
  const line = decisiveError(log);
  const sentence =
    known.code === 'interrupted' || line === null ? known.message : `${known.message.replace(/\.$/, '')}: ${line}`;
  return new BenchbookError(known.code, sentence, {
    ...(known.hint === undefined ? {} : { hint: known.hint }),
    ...(known.outcome === undefined ? {} : { outcome: known.outcome }),
    evidence: { ...known.evidence, 'error log': lastLines(withoutIdentity(log), 200) },
    cause: known.cause,
  });
}
