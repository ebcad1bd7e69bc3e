import { type ChildProcess, spawn } from 'node:child_process';
import { isReadyLine, withoutIdentity } from '../../formats/logs/error-log.ts';
import type { Moment } from '../../journal/entry.ts';
import type { Exit } from './server.ts';
import { aloneIn } from './server-environment.ts';

/** @internal */
export interface Launched {
  readonly child: ChildProcess;
  /** Grows while the server runs. */
  readonly moments: Moment[];
  /** Monotonic, from the return of spawn. */
  readonly elapsedSeconds: () => number;
  readonly log: { text: string };
  /** Rejected only where the program could not be executed at all. */
  readonly exited: Promise<Exit>;
}

/**
 * Spawns a server and stamps every line that it says on arrival; the log is UTC and in English.
 * @internal
 */
export function launch(argv: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Launched {
  const moments: Moment[] = [];
  const log = { text: '' };
  const [program = '', ...rest] = argv;
  const before = process.hrtime.bigint();
  const child = spawn(program, rest, {
    // A session of its own, so that Ctrl-C on the terminal reaches Benchbook alone and the server is stopped in order.
    detached: true,
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: aloneIn(env),
  });
  const start = process.hrtime.bigint();
  const elapsedSeconds = () => Number(process.hrtime.bigint() - start) / 1e9;
  moments.push({ name: 'spawn', atSeconds: Number(before - start) / 1e9 });
  const exited = new Promise<Exit>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  exited.catch(() => undefined);
  endLogWithServer(child);
  for (const stream of [child.stdout, child.stderr]) {
    let unfinished = '';
    stream.setEncoding('utf8');
    stream.on('data', (raw: string) => {
      const chunk = withoutIdentity(raw);
      const atSeconds = elapsedSeconds();
      if (log.text.length < MOST_CHARACTERS) log.text += chunk;
      const lines = (unfinished + chunk).split('\n');
      unfinished = lines.pop()!;
      for (const text of lines) stamp(text, atSeconds, moments);
    });
  }
  return { child, moments, elapsedSeconds, log, exited };
}

/** Fixed: what an ended server has written waits in a pipe and is read in milliseconds. */
const LOG_MILLISECONDS = 1000;

/** A process that a wrapper or a plugin has started may hold the log open: the server has ended all the same. */
function endLogWithServer(child: ChildProcess): void {
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    child.stdout?.destroy();
    child.stderr?.destroy();
  };
  child.once('exit', () => {
    // After a look at the pipes: this process may have been too busy to read them.
    timer = setTimeout(() => setImmediate(close), LOG_MILLISECONDS);
  });
  child.once('close', () => clearTimeout(timer));
}

/** A server that logs without end (one line per statement) must fill neither the journal nor our memory. */
const MOST_LINES = 2000;
const MOST_CHARACTERS = 32 * 2 ** 20;

function stamp(text: string, atSeconds: number, moments: Moment[]): void {
  if (isReadyLine(text) && !moments.some(({ name }) => name === 'ready line'))
    moments.push({ name: 'ready line', atSeconds });
  if (moments.length < MOST_LINES) moments.push({ name: 'log', atSeconds, text });
}

export function describeExit(exit: Exit): string {
  return exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
}
