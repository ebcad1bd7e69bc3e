import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { placeInStack } from '../../lib/source-location.ts';
import { refuseExit } from '../../study/call.ts';

/** Ctrl-C, an ended session, a closed terminal: each ends a run in order. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/** `npx` hands on a signal that the terminal has sent too: repeats within this time are the same Ctrl-C. */
const SAME_MILLISECONDS = 300;

export interface Interrupt {
  /** Fires on a signal, and on an error that nothing awaits. */
  readonly signal: AbortSignal;
  /** That error; null where there is none. */
  readonly failure: () => BenchbookError | null;
  release(): void;
}

/**
 * Whatever wants to end the process during a run ends the run in order instead: servers, folders and the machine's settings come first.
 * A second Ctrl-C ends the process at once; its exit handlers still kill servers and restore the machine.
 */
export function untilInterrupted(study: { readonly file: string } | null = null): Interrupt {
  const controller = new AbortController();
  const { exit } = process;
  let failure: BenchbookError | null = null;
  let since = 0;
  const onSignal = (name: NodeJS.Signals): void => {
    if (!controller.signal.aborted) {
      since = performance.now();
      controller.abort(name);
    } else if (name !== 'SIGHUP' && performance.now() - since > SAME_MILLISECONDS) {
      // A closed terminal sends SIGHUP more than once.
      exit.call(process, 130);
    }
  };
  const onUncaught = (thrown: unknown): void => {
    failure ??= endingRun(thrown, study?.file ?? '');
    controller.abort(failure);
  };
  const onExit = (code: number): void => {
    // Nothing was left to wait for, although the run had not ended.
    if (code === 0) process.exitCode = 1;
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  process.on('uncaughtException', onUncaught);
  process.on('exit', onExit);
  process.exit = refuseExit;
  return {
    signal: controller.signal,
    failure: () => failure,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
      process.off('uncaughtException', onUncaught);
      process.off('exit', onExit);
      process.exit = exit;
    },
  };
}

function endingRun(thrown: unknown, file: string): BenchbookError {
  if (thrown instanceof BenchbookError) return thrown;
  const hint = 'what was measured is kept; the same command goes on from there';
  return (
    strayError(thrown, file, hint) ??
    new BenchbookError('measure', `An error that nothing awaits ended the run: ${sentenceOf(thrown)}`, {
      hint,
      cause: thrown,
    })
  );
}

/** An error that nothing awaits, as the study's own; null where the study's code did not throw it. */
export function strayError(thrown: unknown, file: string, hint?: string): BenchbookError | null {
  const place = thrown instanceof Error ? placeInStack(thrown, file) : { file };
  if (place.line === undefined) return null;
  return new BenchbookError('study', `The study's code threw where nothing awaits it: ${sentenceOf(thrown)}`, {
    place,
    ...(hint === undefined ? {} : { hint }),
    cause: thrown,
  });
}
