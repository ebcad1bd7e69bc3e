/** Distribution functions that intervals and tests need; each is held against R in test/reference. */

/** P(Z ≤ z) of the standard normal: Marsaglia's series (J. Stat. Softw. 11(4), 2004), in the tails a continued fraction. */
export function normalCdf(z: number): number {
  if (z > 0) return 1 - normalCdf(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z < -5) {
    let fraction = 0;
    for (let k = 60; k >= 1; k--) fraction = k / (-z + fraction);
    return density / (-z + fraction);
  }
  let sum = z;
  let term = z;
  for (let k = 3; Math.abs(term) > 1e-17; k += 2) {
    term *= (z * z) / k;
    sum += term;
  }
  return 0.5 + sum * density;
}

/** The z with P(Z ≤ z) = p. */
export function normalQuantile(p: number): number {
  return bisect((z) => normalCdf(z), p, -40, 40);
}

/** P(T ≤ t) of Student's t with `df` degrees of freedom. */
export function studentCdf(t: number, df: number): number {
  const tail = 0.5 * incompleteBeta(df / (df + t * t), df / 2, 0.5);
  return t > 0 ? 1 - tail : tail;
}

/** The t with P(T ≤ t) = p; found in the lower tail, where small probabilities keep their digits. */
export function studentQuantile(p: number, df: number): number {
  if (p === 0.5) return 0;
  if (p > 0.5) return -studentQuantile(1 - p, df);
  let low = -1;
  while (studentCdf(low, df) > p) low *= 4;
  return bisect((t) => studentCdf(t, df), p, low, 0);
}

/** The x with I_x(a, b) = p. */
export function betaQuantile(p: number, a: number, b: number): number {
  return bisect((x) => incompleteBeta(x, a, b), p, 0, 1);
}

/** Regularised incomplete beta I_x(a, b) by Lentz's continued fraction. */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b)) / a;
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / (1 - ((a + b) * x) / (a + 1) || tiny);
  let result = d;
  for (let m = 1; m < 10_000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / (1 + even * d || tiny);
    c = 1 + even / c || tiny;
    result *= c * d;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / (1 + odd * d || tiny);
    c = 1 + odd / c || tiny;
    const step = c * d;
    result *= step;
    if (Math.abs(step - 1) < 1e-16) break;
  }
  return front * result;
}

/** ln Γ(x) for x > 0: Stirling's series after shifting x above 15. */
export function logGamma(x: number): number {
  let shift = 0;
  let y = x;
  for (; y < 15; y++) shift += Math.log(y);
  const r = 1 / (y * y);
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / y;
  return (y - 0.5) * Math.log(y) - y + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

/** Root of a rising function by halving until the doubles in between run out. */
function bisect(rising: (x: number) => number, target: number, from: number, to: number): number {
  let low = from;
  let high = to;
  for (let i = 0; i < 200; i++) {
    const middle = (low + high) / 2;
    if (middle <= low || middle >= high) break;
    if (rising(middle) < target) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
