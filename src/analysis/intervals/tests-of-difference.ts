import { seededRandom } from '../../lib/random.ts';
import { normalCdf } from './distributions.ts';

const EXACT_UP_TO = 16;
const MONTE_CARLO_UP_TO = 60;
const FLIPS = 9999;

/**
 * Two-sided sign-flip (Fisher's randomisation) test that paired differences are symmetric about 0, by the size of their sum: all 2^n
 * sign patterns up to n = 16, 9,999 seeded ones up to 60, the normal limit above. Null for an empty list.
 */
export function signFlipTest(differences: readonly number[], seed: string): number | null {
  const n = differences.length;
  if (n === 0) return null;
  const sizes = differences.map(Math.abs);
  const slack = 1e-12 * sizes.reduce((sum, d) => sum + d, 0);
  const observed = Math.abs(differences.reduce((sum, d) => sum + d, 0)) - slack;
  if (n <= EXACT_UP_TO) return exactShare(sizes, observed);
  if (n > MONTE_CARLO_UP_TO) {
    const spread = Math.sqrt(sizes.reduce((sum, d) => sum + d * d, 0));
    return spread === 0 ? 1 : Math.min(1, 2 * normalCdf(-(observed + slack) / spread));
  }
  const random = seededRandom(seed);
  let extreme = 1;
  for (let flip = 0; flip < FLIPS; flip++) {
    if (Math.abs(randomlySigned(sizes, random)) >= observed) extreme++;
  }
  return extreme / (FLIPS + 1);
}

/** The sum with random signs; one number gives 32 of them. */
function randomlySigned(sizes: readonly number[], random: () => number): number {
  let sum = 0;
  let bits = 0;
  for (let i = 0; i < sizes.length; i++) {
    if (i % 32 === 0) bits = (random() * 2 ** 32) | 0;
    sum += bits & 1 ? sizes[i]! : -sizes[i]!;
    bits >>= 1;
  }
  return sum;
}

/** Share of the sign patterns whose sum is as extreme; a Gray code changes one sign at a time, and symmetry halves the work. */
function exactShare(sizes: readonly number[], observed: number): number {
  const signs = sizes.map(() => 1);
  let sum = sizes.reduce((total, d) => total + d, 0);
  const patterns = 2 ** (sizes.length - 1);
  let extreme = 0;
  for (let i = 1; ; i++) {
    if (Math.abs(sum) >= observed) extreme++;
    if (i === patterns) return extreme / patterns;
    const bit = Math.log2(i & -i);
    signs[bit] = -signs[bit]!;
    sum += 2 * signs[bit]! * sizes[bit]!;
  }
}

/** Cliff's delta: P(a > b) − P(a < b) over all pairs of values, from −1 to 1 (Cliff, Psychological Bulletin 114, 1993). Sorted input. */
export function cliffsDelta(a: ArrayLike<number>, b: ArrayLike<number>): number | null {
  if (a.length === 0 || b.length === 0) return null;
  let below = 0;
  let notAbove = 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) {
    while (below < b.length && b[below]! < a[i]!) below++;
    while (notAbove < b.length && b[notAbove]! <= a[i]!) notAbove++;
    sum += below - (b.length - notAbove);
  }
  return sum / (a.length * b.length);
}
