import { createHash } from 'node:crypto';

/** A stream of uniform 32-bit integers. */
export type Random = () => number;

/** sfc32, the small fast counting generator of Chris Doty-Humphrey (PractRand), from its state. */
function sfc32(first: number, second: number, third: number): Random {
  let a = first | 0;
  let b = second | 0;
  let c = third | 0;
  let counter = 1;
  return () => {
    const result = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + result) | 0;
    return result >>> 0;
  };
}

/** A stream that the SHA-256 of `label` seeds, so that every label has a stream of its own that depends on nothing else. */
export function randomOf(label: string): Random {
  const seed = createHash('sha256').update(label).digest();
  return sfc32(seed.readInt32LE(0), seed.readInt32LE(4), seed.readInt32LE(8));
}

/** Uniform numbers in [0, 1) that a text seeds by FNV-1a: cheap to make, and the same on any machine. */
export function seededRandom(seed: string): () => number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < seed.length; i++) hash = Math.imul(hash ^ seed.charCodeAt(i), 0x01000193);
  const next = sfc32(hash, hash ^ 0x9e3779b9, hash ^ 0x243f6a88);
  for (let i = 0; i < 20; i++) next();
  return () => next() / 4294967296;
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

/** A uniform integer in [0, limit). We draw again where a number falls into the incomplete last part of the range, which would favor low numbers. */
function below(limit: number, random: Random): number {
  const end = 2 ** 32 - (2 ** 32 % limit);
  for (;;) {
    const drawn = random();
    if (drawn < end) return drawn % limit;
  }
}
