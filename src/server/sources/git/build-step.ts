import { createWriteStream } from 'node:fs';
import { execa } from 'execa';
import { isNoSpace } from '../../../host/space.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { lastLines } from '../../../lib/process/run-tool.ts';
import type { ServerEnvironment } from '../../build.ts';
import { killSession, register, registryDirectory } from '../../cache/registry.ts';

interface Step {
  readonly what: string;
  /** An argument that no other process has: the folder of this build. */
  readonly folder: string;
  readonly logPath: string;
  readonly environment: ServerEnvironment;
}

/** Runs one step of a build with all that it says appended to the log, and its counters shown as progress. */
export async function step(command: string, args: readonly string[], request: Step): Promise<void> {
  try {
    await perform(command, args, request);
  } catch (error) {
    throw isNoSpace(error) ? noSpace(request, error) : error;
  }
}

async function perform(
  command: string,
  args: readonly string[],
  { what, folder, logPath, environment }: Step,
): Promise<void> {
  const registration = await register(registryDirectory(environment.cacheDirectory), folder, []);
  // A session of its own, so that its compilers can be ended with it.
  const child = execa(command, [...args], {
    reject: false,
    all: true,
    stdin: 'ignore',
    detached: true,
    env: { LC_ALL: 'C' },
  });
  const stop = () => child.pid !== undefined && killSession(child.pid);
  environment.signal?.addEventListener('abort', stop, { once: true });
  const log = createWriteStream(logPath, { flags: 'a' });
  // A full disk ends the log and not the process; the build itself then fails by its own message.
  let logFault: Error | null = null;
  log.on('error', (error) => {
    logFault = error;
  });
  let tail = '';
  let reportedAt = 0;
  child.all.on('data', (chunk: Buffer) => {
    if (logFault === null) log.write(chunk);
    tail = (tail + chunk.toString()).slice(-20_000);
    // "[12/345] …" of ninja, "[ 42%] …" of make.
    if (Date.now() - reportedAt <= 2000) return;
    const counter = [...tail.matchAll(/^\[\s*(\d+\/\d+|\d+%)\]/gm)].at(-1)?.[1];
    if (counter === undefined) return;
    reportedAt = Date.now();
    environment.progress(`${what} ${counter}`);
  });
  // Wait only after the listeners are attached: output before that would be lost.
  const unrecorded =
    child.pid === undefined
      ? null
      : await registration.spawned(child.pid).then(
          () => null,
          (error: unknown) => ({ error }),
        );
  if (unrecorded !== null) stop();
  if (environment.signal?.aborted) stop();
  const result = await child;
  environment.signal?.removeEventListener('abort', stop);
  await registration.done();
  await new Promise<void>((resolve) => {
    log.once('close', resolve);
    log.end();
    if (log.closed) resolve();
  });
  if (unrecorded !== null) throw unrecorded.error;
  if (environment.signal?.aborted) throw new BenchbookError('interrupted', `Interrupted while ${what}.`);
  if (result.exitCode === 0) return;
  if (isNoSpace(tail) || isNoSpace(logFault)) throw noSpace({ what, folder }, logFault);
  throw new BenchbookError('server', `The build failed while ${what}: ${decisiveLine(tail)}`, {
    hint: `The whole log is ${logPath}. Its end:\n${lastLines(tail, 15)}`,
    evidence: { 'build log': lastLines(tail, 200) },
  });
}

function noSpace({ what, folder }: Pick<Step, 'what' | 'folder'>, cause: unknown): BenchbookError {
  return new BenchbookError('server', `There is no space for the build below ${folder}: ${what} failed.`, {
    hint: 'Make room there, or name another cache folder with BENCHBOOK_CACHE.',
    cause,
  });
}

function decisiveLine(text: string): string {
  const lines = text.split('\n');
  const error =
    lines.find((line) => /\b(fatal )?error:/i.test(line)) ?? lines.find((line) => /^CMake Error/.test(line));
  return (error ?? lastLines(text, 1)).trim();
}
