import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Moment } from '../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { type CpuTime, cpuTimeOf } from '../lib/process/proc.ts';
import type { Options, Sql, SqlConnection } from '../study/types.ts';
import type { Build } from './build.ts';
import { register, registryDirectory } from './cache/registry.ts';
import { checkDataDirectory } from './data/data-directory.ts';
import { defaultCacheDirectory } from './environment.ts';
import { connectExternal, isExternal } from './external.ts';
import { optionListOf } from './options/option-list.ts';
import { serverArgv, shortTemporaryFolder } from './process/argv.ts';
import { endHung } from './process/core.ts';
import { collectEvidence } from './process/evidence.ts';
import { type Exit, type Launched, launch } from './process/launch.ts';
import { listeningPorts } from './process/listening.ts';
import { awaitReady } from './process/ready.ts';
import { runningServer } from './process/running.ts';
import { withLog } from './process/with-log.ts';
import { checkOptions } from './reserved-options.ts';

export interface StartRequest {
  readonly dataDirectory: string;
  readonly options: Options;
  readonly env?: Readonly<Record<string, string>>;
  /** A storage engine that must be there: its plugin is loaded where it has one. */
  readonly engine?: string;
  /** Put before the command: `taskset -c 0`, a cgroup wrapper. */
  readonly prefix?: readonly string[];
  /** How long it may take to answer the first query. */
  readonly startSeconds: number;
  /** How long it may take to stop, and before a slow stop to purge. */
  readonly stopSeconds?: number | undefined;
  readonly purgeSeconds?: number | undefined;
  /** How long one statement may take; 3600 by default. */
  readonly statementSeconds?: number;
  /** Whether a crash leaves a core file, as far as `allowCores` could allow it; a server that hangs is then ended by SIGABRT. */
  readonly core?: boolean;
  /** Told of the process, whether it gets ready or not. */
  readonly spawned?: (pid: number) => void;
  /** The cache folder, where running servers are written down; the default one where absent. */
  readonly cacheDirectory?: string;
  readonly signal?: AbortSignal;
}

export type { Exit };

export type StopMode = 'fast' | 'slow' | 'crash';

/** A server that has answered its first query. */
export interface Server {
  readonly build: Build;
  readonly pid: number;
  readonly socketPath: string;
  readonly dataDirectory: string;
  /** The exact command line. */
  readonly argv: readonly string[];
  /** Seconds from the return of spawn, in the order in which they came: "spawn", "socket", "ready line", "first query", "log". */
  readonly moments: readonly Moment[];
  /** CPU time of the process up to its first answer. */
  readonly cpuAtReady: CpuTime;
  readonly exited: Promise<Exit>;
  logText(): string;
  /** Throws the end of the server where an error says that the connection to it is lost, else the error. */
  readonly explain?: (error: unknown) => Promise<never>;
  /** Statements on a connection that is kept open. */
  readonly sql: Sql;
  /** A further connection. */
  connect(): Promise<SqlConnection>;
  /**
   * Ends it: `fast` as SIGTERM does, `slow` after purge with a full flush, `crash` with SIGKILL. Seconds from the
   * request to the exit. A server that does not follow in time is killed, and that is an error with evidence.
   */
  stop(mode: StopMode): Promise<{ readonly seconds: number }>;
}

/**
 * Starts a server on a data directory and waits for its first answer to `SELECT 1`.
 * @throws BenchbookError('server') where it exits first (outcome `failed` or `crashed`, with its own error line), or
 * does not answer in time (`timeout`); ('interrupted') where the signal fires. It never leaves a process behind.
 */
export async function startServer(build: Build, request: StartRequest): Promise<Server> {
  if (request.signal?.aborted) throw new BenchbookError('interrupted', 'Interrupted before the server was started.');
  if (isExternal(build)) return await connectExternal(build);
  const cacheDirectory = request.cacheDirectory ?? defaultCacheDirectory();
  checkOptions({ ...request, known: await optionListOf(build, cacheDirectory) });
  await checkDataDirectory(build, request.dataDirectory);
  const socketFolder = join(shortTemporaryFolder(), `benchbook-${randomBytes(8).toString('hex')}`);
  const socketPath = join(socketFolder, 's');
  const argv = serverArgv(build, { ...request, socketFolder });
  const registry = registryDirectory(cacheDirectory);
  const registration = await register(registry, `--datadir=${request.dataDirectory}`, [
    socketFolder,
    `${request.dataDirectory}.tmp`,
  ]);
  // Made only now that they are written down: whatever happens, somebody removes them.
  await mkdir(socketFolder, { mode: 0o700 });
  await mkdir(`${request.dataDirectory}.tmp`, { recursive: true });
  const cleanUp = async () => {
    await rm(socketFolder, { recursive: true, force: true });
    await rm(`${request.dataDirectory}.tmp`, { recursive: true, force: true });
    await registration.done();
  };
  const launched = launch(argv, { ...build.env, ...request.env }, request.dataDirectory);
  const { child, exited, log } = launched;
  if (child.pid === undefined) {
    await cleanUp();
    const why = sentenceOf(await exited.catch((error) => error));
    throw new BenchbookError('server', `The server could not be started: ${why}`, { outcome: 'failed' });
  }
  const afterExit = exited.then(cleanUp, cleanUp);
  try {
    request.spawned?.(child.pid);
    await registration.spawned(child.pid);
    const connection = await awaitReady({
      ...launched,
      socketPath,
      limitSeconds: request.startSeconds,
      signal: request.signal,
    });
    const cpuAtReady = cpuTimeOf(child.pid);
    await refusePorts(child.pid);
    return runningServer({ build, request, argv, socketPath, launched, afterExit, cpuAtReady, connection });
  } catch (error) {
    const evidence = await evidenceOf(error, launched, socketPath);
    const isHung = error instanceof BenchbookError && error.outcome === 'timeout';
    await endHung(child, exited, isHung && (request.core ?? false));
    await afterExit;
    throw withLog(error, log.text, evidence);
  }
}

/** Root without a password is safe on a socket in a private folder alone: a plugin, too, must not open a port. */
async function refusePorts(pid: number): Promise<void> {
  const [port] = await listeningPorts(pid);
  if (port === undefined) return;
  throw new BenchbookError('server', `The server listens on TCP port ${port}, and everybody could reach it there.`, {
    hint: 'Remove the option or plugin that opens it; `servers.external` measures a server over TCP.',
    outcome: 'failed',
  });
}

/** Only a server that hangs has more to tell than its log. */
async function evidenceOf(
  error: unknown,
  { child }: Launched,
  socketPath: string,
): Promise<Readonly<Record<string, string>>> {
  if (!(error instanceof BenchbookError) || error.outcome !== 'timeout') return {};
  return await collectEvidence({ pid: child.pid!, socketPath });
}
