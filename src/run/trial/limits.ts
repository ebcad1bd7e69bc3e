import { BenchbookError } from '../../lib/errors.ts';

/** A signal that fires on interruption or when time is up, and the race against it. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** The work's result; or, as soon as the signal fires, its reason, even where the work never ends. */
  race<T>(work: Promise<T>): Promise<T>;
  /** Lets go of the timer. */
  clear(): void;
  /** The phase has ended: frees the timer, and fires the signal for work of the phase that still goes on. */
  end(): void;
}

/**
 * Limits a phase: `what` stands in the sentence ("the start of the server").
 *
 * @param limitSeconds above 24 days (what a timer can hold) means no limit.
 */
export function deadline(outer: AbortSignal, limitSeconds: number, what: string): Deadline {
  const controller = new AbortController();
  const onOuter = () => controller.abort(interruption(outer));
  if (outer.aborted) onOuter();
  else outer.addEventListener('abort', onOuter, { once: true });
  const limitMs = limitSeconds * 1000;
  const timer = limitMs < 2 ** 31 ? setTimeout(() => controller.abort(timeUp(what, limitSeconds)), limitMs) : undefined;
  const clear = () => {
    clearTimeout(timer);
    outer.removeEventListener('abort', onOuter);
  };
  return {
    signal: controller.signal,
    race: (work) => until(controller.signal, work),
    clear,
    end() {
      clear();
      controller.abort(new BenchbookError('interrupted', `${what} has ended`));
    },
  };
}

/** The work, or the reason of the interruption if that comes first. */
export function withAbort<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const limit = deadline(signal, Number.POSITIVE_INFINITY, '');
  return limit.race(work).finally(() => limit.clear());
}

function until<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Keeps the reason of an outer deadline that ran out; everything else is the user's interruption. */
function interruption(signal: AbortSignal): unknown {
  const { reason } = signal;
  if (reason instanceof BenchbookError) return reason;
  return new BenchbookError('interrupted', 'interrupted', { cause: reason });
}

function timeUp(what: string, limitSeconds: number): BenchbookError {
  return new BenchbookError('measure', `${what} took longer than its limit of ${limitSeconds} s`, {
    outcome: 'timeout',
  });
}
