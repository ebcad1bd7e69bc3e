/** Remembers every result by a key of the arguments. */
export function memoized<Args extends readonly unknown[], Result>(
  keyOf: (...args: Args) => string,
  compute: (...args: Args) => Result,
): (...args: Args) => Result {
  const known = new Map<string, Result>();
  return (...args) => {
    const key = keyOf(...args);
    if (!known.has(key)) known.set(key, compute(...args));
    return known.get(key)!;
  };
}
