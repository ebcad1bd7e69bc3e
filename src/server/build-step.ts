import { createWriteStream } from 'node:fs';
import { execa } from 'execa';
import { BenchbookError } from '../errors.ts';
import type { ServerEnvironment } from './environment.ts';
import { killSession, register, registryDirectory } from './registry.ts';
import { lastLines } from './run-tool.ts';
import { isNoSpace } from './space.ts';

interface Step {
  readonly what: string;
  /** An argument that no other process has: the folder of this build. */
  readonly folder: string;
  readonly logPath: string;
  readonly environment: ServerEnvironment;
}

/** Runs one step of a build with all that it says appended to the log, and its counters shown as progress. */
export async function step(
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
  let told = 0;
  child.all.on('data', (chunk: Buffer) => {
    if (logFault === null) log.write(chunk);
    tail = (tail + chunk.toString()).slice(-20_000);
    // "[12/345] …" of ninja, "[ 42%] …" of make.
    const counter = /.*^\[\s*(\d+\/\d+|\d+%)\]/ms.exec(tail)?.[1];
    if (counter !== undefined && Date.now() - told > 2000) {
      told = Date.now();
      environment.progress(`${what} ${counter}`);
    }
  });
  // Only now: whoever waits before listening loses what was said meanwhile.
  if (child.pid !== undefined) await registration.spawned(child.pid);
  if (environment.signal?.aborted) stop();
  const result = await child;
  environment.signal?.removeEventListener('abort', stop);
  await registration.done();
  await new Promise<void>((resolve) => {
    log.once('close', resolve);
    log.end();
    if (log.closed) resolve();
  });
  if (environment.signal?.aborted) throw new BenchbookError('interrupted', `Interrupted while ${what}.`);
  if (result.exitCode === 0) return;
  if (isNoSpace(tail)) throw new BenchbookError('server', `There is no space for the build: ${what} failed.`);
  throw new BenchbookError('server', `The build failed while ${what}: ${decisiveLine(tail)}`, {
    hint: `The whole log is ${logPath}. Its end:\n${lastLines(tail, 15)}`,
    evidence: { 'build log': lastLines(tail, 200) },
  });
}

function decisiveLine(text: string): string {
  const lines = text.split('\n');
  const error =
    lines.find((line) => /\b(fatal )?error:/i.test(line)) ?? lines.find((line) => /^CMake Error/.test(line));
  return (error ?? lastLines(text, 1)).trim();
}
