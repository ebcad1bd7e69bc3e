import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { cpuTimeOf } from '../lib/process/proc.ts';
import type { Build } from './build.ts';
import { defaultCacheDirectory, isExternal } from './build.ts';
import { register, registryDirectory } from './cache/registry.ts';
import { checkDataDirectory } from './data/data-directory.ts';
import { optionListOf } from './options/option-list.ts';
import { checkOptions } from './options/reserved-options.ts';
import { serverArgv, shortTemporaryFolder } from './process/argv.ts';
import { connectExternal } from './process/external.ts';
import { endHung } from './process/inspect/core.ts';
import { collectEvidence } from './process/inspect/evidence.ts';
import { listeningPorts } from './process/inspect/listening.ts';
import { type Launched, launch } from './process/launch.ts';
import { awaitReady } from './process/ready.ts';
import { runningServer } from './process/running.ts';
import type { Exit, Server, StartRequest, StopMode } from './process/server.ts';
import { withLog } from './process/with-log.ts';

export { optionsFile } from './process/argv.ts';
export { addressOf, openExternal } from './process/external.ts';
export { abortForCore, allowCores, corePlace, findCore } from './process/inspect/core.ts';
export { collectEvidence } from './process/inspect/evidence.ts';
export { stopLimit } from './process/stop.ts';
export type { Exit, Server, StartRequest, StopMode };

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
  // The registry lists these folders already: a later start removes them after a crash.
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
