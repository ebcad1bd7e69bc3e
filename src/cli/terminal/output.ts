import { sentenceOf } from '../../lib/errors.ts';
import { lastCalled } from '../../study/call.ts';
import { strayError } from '../run/signals.ts';
import { EXIT, exitCodeOf, explain } from './exit.ts';

/** Whether an output could not be written. It may turn out only after the command's last line. */
let isBroken = false;

/** How long an ended command may wait for what it has forgotten to end. */
const FORGOTTEN_SECONDS = 3;

/**
 * Output that nobody reads any more (`| head`, a closed terminal) ends no command: a run goes on without it. Output that cannot be written
 * is said once on stderr. An error that nothing awaits is one sentence.
 *
 */
export function guardOutput(): void {
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE' || error.code === 'EIO' || isBroken) return;
    isBroken = true;
    process.stderr.write(`benchbook: The output could not be written: ${sentenceOf(error)}\n`);
  };
  process.stdout.on('error', onError);
  process.stderr.on('error', () => undefined);
  process.on('uncaughtException', (thrown) => {
    // A run ends itself in order.
    if (process.listenerCount('uncaughtException') > 1) return;
    const shown = strayError(thrown, lastCalled()?.file ?? '') ?? thrown;
    process.stderr.write(`${explain(shown)}\n`);
    endWith(exitCodeOf(shown));
    process.exit();
  });
}

/** Ends the process with this code: by itself, or soon where a timer or a connection was forgotten. */
export function endWith(code: number): void {
  process.exitCode = code;
  // The last listener: one of a study must not turn a failure into a success.
  process.on('exit', () => {
    process.exitCode = isBroken && code === EXIT.done ? EXIT.notAllOk : code;
  });
  setTimeout(() => process.exit(code), FORGOTTEN_SECONDS * 1000).unref();
}
