/** The longest time that a timer of Node.js can hold, some 24 days. */
const MOST_MILLISECONDS = 2 ** 31 - 1;

/**
 * The result of the work; where it takes longer than the limit, what `late` returns or throws. The work itself goes on, and its
 * late failure is ignored. The timer keeps the process alive and ends with the work.
 *
 * @param milliseconds above 24 days, which a timer cannot hold, means no limit
 */
export async function withTimeLimit<T, L>(work: Promise<T>, milliseconds: number, late: () => L): Promise<T | L> {
  const timer = startTimer(milliseconds, late);
  try {
    return await Promise.race([work, timer.isUp]);
  } finally {
    timer.clear();
    work.catch(() => undefined);
  }
}

function startTimer<L>(milliseconds: number, late: () => L): { readonly isUp: Promise<L>; clear(): void } {
  let timer: NodeJS.Timeout | undefined;
  const isUp = new Promise<void>((resolve) => {
    if (milliseconds <= MOST_MILLISECONDS) timer = setTimeout(resolve, milliseconds);
  }).then(late);
  return { isUp, clear: () => clearTimeout(timer) };
}
