import { medianInterval } from '../../src/analysis/median-interval.ts';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { randomOf } from '../../src/lib/random.ts';
import { isEnough } from '../../src/run/schedule/until.ts';
import { trialEntry } from '../journal/entries.ts';

// What ending early does to the coverage of a 95 % interval of the median: a rule that stops when the interval is narrow
// stops more often where chance made it narrow. Simulated with the engine's own rule; a fixed n stands beside it.
// Run with: npx tsx test/bench/stopping.bench.ts [repetitions]

const repetitions = Number(process.argv[2] ?? 4000);
const uniform = randomOf('stopping');
const next = () => (uniform() + 0.5) / 2 ** 32;
const normal = () => Math.sqrt(-2 * Math.log(next())) * Math.cos(2 * Math.PI * next());

/** Each with a known median of 100. */
const WORLDS: Readonly<Record<string, () => number>> = {
  'normal, 3 %': () => 100 + 3 * normal(),
  'lognormal, 5 %': () => 100 * Math.exp(0.05 * normal()),
  'normal with stalls (10 % of trials +20 %)': () => withStalls(),
};

for (const [name, draw] of Object.entries(WORLDS)) {
  const median = name.includes('stalls') ? medianOfMany(draw) : 100;
  for (const below of [0.01, 0.02]) {
    const early = simulate(draw, median, below, 6, 30);
    const fixed = Math.round(early.meanN);
    const same = simulate(draw, median, 0, fixed, fixed);
    process.stdout.write(
      `${name}; until half-width below ${100 * below} %, n from 6 to 30: coverage ${percent(early.coverage)} with n = ${early.meanN.toFixed(1)} on average; ` +
        `fixed n = ${fixed}: ${percent(same.coverage)}\n`,
    );
  }
}

function simulate(draw: () => number, median: number, below: number, min: number, max: number) {
  let covered = 0;
  let total = 0;
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const trials: TrialEntry[] = [];
    const values: number[] = [];
    while (values.length < max) {
      values.push(draw());
      trials.push({ ...trialEntry(values.length), samples: [{ metric: 'm', values: [values.at(-1)!] }] });
      if (values.length >= min && isEnough({ op: 'halfWidth', metric: 'm', below }, trials)) break;
    }
    const interval = medianInterval(values.sort((a, b) => a - b))!;
    if (interval.low <= median && median <= interval.high) covered += 1;
    total += values.length;
  }
  return { coverage: covered / repetitions, meanN: total / repetitions };
}

function withStalls(): number {
  const base = 100 + 2 * normal();
  return next() < 0.1 ? base * 1.2 : base;
}

function medianOfMany(draw: () => number): number {
  const values = Array.from({ length: 400_001 }, draw).sort((a, b) => a - b);
  return values[200_000]!;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
