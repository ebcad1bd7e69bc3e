import { Script } from 'node:vm';
import { BenchbookError, type Place, sentenceOf } from '../lib/errors.ts';
import { placeInStack, placeOfWords, withPlace } from '../lib/source-location.ts';
import { withTimeLimit } from '../lib/time-limit.ts';

/** The study whose function is called, for the place of what it throws. */
export interface CalledStudy {
  readonly file: string;
  readonly sourceText: string;
}

/** How long one synchronous function of a study may take. It only computes values. */
export const studySeconds = (): number => Number(process.env.BENCHBOOK_STUDY_SECONDS) || 30;

const BODY_KEY = Symbol.for('benchbook.call');
const script = new Script("globalThis[Symbol.for('benchbook.call')]()", { filename: 'benchbook-call.js' });

/** The innermost function of a study that runs now; null where none does. */
let running: string | null = null;

let last: CalledStudy | null = null;

/** The study whose code ran last in this process, for the place of an error that nothing awaits; null where none did. */
export const lastCalled = (): CalledStudy | null => last;

/**
 * Calls a synchronous function of a study; `name` is its key there. An error that it throws becomes a sentence with file and line. A
 * function that does not return, or that calls `process.exit`, is ended.
 *
 * @throws BenchbookError `study`; `interrupted` where Ctrl-C ended it
 */
export function callStudy<T>(name: string, study: CalledStudy, body: () => T): T {
  try {
    return limited(name, study, body);
  } catch (cause) {
    if (cause instanceof BenchbookError) throw withPlace(cause, study);
    const place = cause instanceof Error ? placeInStack(cause, study.file) : { file: study.file };
    throw new BenchbookError('study', `The study's '${name}' threw: ${sentenceOf(cause)}`, {
      place: placeOr(place, placeOfWords(study.file, study.sourceText, [name])),
      cause,
    });
  }
}

/** The same limit for many calls at once: a limit for each of a million calls would take minutes. */
export function limited<T>(name: string, study: CalledStudy, body: () => T): T {
  return running === null ? outermost(name, study, body) : nested(name, body);
}

/**
 * The same for an asynchronous function. An endless loop after an `await` can only be ended with Ctrl-C.
 *
 * @throws BenchbookError `study` where the result does not arrive in time
 */
export async function awaited<T>(name: string, study: CalledStudy, body: () => Promise<T>): Promise<T> {
  last = study;
  const { exit } = process;
  process.exit = refuseExit;
  try {
    return await withTimeLimit(body(), studySeconds() * 1000, () => {
      throw tookTooLong(name, study);
    });
  } finally {
    process.exit = exit;
  }
}

function nested<T>(name: string, body: () => T): T {
  const outer = running;
  running = name;
  try {
    return body();
  } finally {
    // This does not run where the time limit ends the execution: `running` then names the function that did not return.
    running = outer;
  }
}

function outermost<T>(name: string, study: CalledStudy, body: () => T): T {
  const holder = globalThis as { [BODY_KEY]?: () => unknown };
  const { exit } = process;
  running = name;
  last = study;
  holder[BODY_KEY] = body;
  process.exit = refuseExit;
  try {
    // Without a listener, Ctrl-C ends the process by itself, also in a loop.
    const breakOnSigint = process.listenerCount('SIGINT') > 0;
    return script.runInThisContext({ timeout: studySeconds() * 1000, breakOnSigint }) as T;
  } catch (cause) {
    throw cutOff(cause, running, study);
  } finally {
    running = null;
    process.exit = exit;
    delete holder[BODY_KEY];
  }
}

/** The error of a function that was ended from outside; any other as it is. */
function cutOff(cause: unknown, name: string, study: CalledStudy): unknown {
  const { code } = (cause ?? {}) as { code?: unknown };
  if (code === 'ERR_SCRIPT_EXECUTION_INTERRUPTED') {
    process.emit('SIGINT', 'SIGINT');
    return new BenchbookError('interrupted', 'interrupted', { cause });
  }
  if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') return cause;
  return tookTooLong(name, study, cause);
}

function tookTooLong(name: string, study: CalledStudy, cause?: unknown): BenchbookError {
  return new BenchbookError('study', `The study's '${name}' did not return within ${studySeconds()} s.`, {
    place: placeOfWords(study.file, study.sourceText, [name]),
    hint: 'does it loop or wait without end? BENCHBOOK_STUDY_SECONDS=300 gives it more time',
    outcome: 'timeout',
    cause,
  });
}

/** Replaces `process.exit` while code of a study runs. */
export function refuseExit(code?: number | string | null): never {
  throw new Error(`it calls process.exit${code == null ? '' : ` with ${code}`}, which would end the run`);
}

export function placeOr(first: Place, second: Place): Place {
  return first.line === undefined ? second : first;
}
