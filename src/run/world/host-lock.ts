import { BenchbookError } from '../../lib/errors.ts';
import { holderOfName, type Lock, takeName } from '../../lib/process/kernel-lock.ts';

const NAME = 'benchbook-run';

/**
 * Makes sure that one run at a time measures on this machine: two would disturb each other. With `force` a run that goes on
 * is reported and no obstacle.
 *
 * @param holder who runs here, for the message to the next one: "process 123, study startup, since 12:00".
 * @param name of the lock; tests have their own.
 * @throws BenchbookError `usage` that names the run that goes on.
 */
export async function lockHost(
  holder: string,
  force: boolean,
  report: (text: string) => void,
  name = NAME,
): Promise<Lock> {
  // Elsewhere there are no abstract sockets, and a file could outlive its process.
  if (process.platform !== 'linux') return { release: async () => undefined };
  const held = await takeName(name, holder);
  if (held instanceof Error) {
    report(`this machine could not be checked for another run (${held.message})`);
    return { release: async () => undefined };
  }
  if (held !== 'taken') return held;
  const other = (await holderOfName(name)) || 'it does not answer';
  const sentence = `another run measures on this machine (${other}), and the two would disturb each other`;
  if (!force) throw new BenchbookError('usage', sentence, { hint: 'wait until it has ended, or use --force' });
  report(sentence);
  return { release: async () => undefined };
}
