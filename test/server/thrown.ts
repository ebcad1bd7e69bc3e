import type { BenchbookError } from '../../src/lib/errors.ts';

/** The error of work that must fail. */
export async function thrownBy(work: Promise<unknown>): Promise<BenchbookError> {
  return await work.then(
    () => {
      throw new Error('nothing was thrown');
    },
    (error: BenchbookError) => error,
  );
}
