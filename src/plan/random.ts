import { createHash } from 'node:crypto';

/** A stream of uniform 32-bit integers. */
export type Random = () => number;

/**
 * sfc32, the small fast counting generator of Chris Doty-Humphrey (PractRand), seeded by the SHA-256 of `label`,
 * so that every block and every trial has a stream of its own that depends on nothing but its name.
 */
export function randomOf(label: string): Random {
  const seed = createHash('sha256').update(label).digest();
  let a = seed.readInt32LE(0);
  let b = seed.readInt32LE(4);
  let c = seed.readInt32LE(8);
  let counter = 1;
  return () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + result;
    c |= 0;
    return result >>> 0;
  };
}

/** The items in a random order, each order equally likely (Fisher and Yates; Knuth's algorithm P). */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let last = result.length - 1; last > 0; last -= 1) {
    const other = below(last + 1, random);
    [result[last], result[other]] = [result[other]!, result[last]!];
  }
  return result;
}

/** A uniform integer in [0, limit); draws in the incomplete last stretch are thrown away, since they would favour low numbers. */
function below(limit: number, random: Random): number {
  const end = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const drawn = random();
    if (drawn < end) return drawn % limit;
  }
}
