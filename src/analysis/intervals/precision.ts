import type { Sample } from '../cells/cells.ts';
import { meanOf } from '../describe.ts';
import type { Precision } from '../results.ts';

/**
 * Where the spread of a cell comes from, after Kalibera and Jones (arXiv 2007.10899): the variance between trials and the variance
 * between iterations inside a trial, each as it enters the mean over trials, and the number of iterations per trial that would cost least
 * for the same precision. On logarithms where all values are positive, so that it holds for ratios. Null with fewer than two
 * trials or where no trial has two iterations: then the two levels cannot be separated.
 */
export function precisionOf(
  samples: readonly Sample[],
  costs?: { iterationSeconds: number; trialSeconds: number },
): Precision | null {
  const nested = samples.filter((sample) => sample.values.length > 1);
  if (nested.length < 2) return null;
  const positive = nested.every((sample) => sample.values.every((value) => value > 0));
  const trials = nested.map(({ values }) => {
    const scaled = positive ? values.map(Math.log) : values;
    const mean = meanOf(scaled);
    return { mean, count: values.length, variance: variance(scaled, mean) };
  });
  const iterations = trials.length / trials.reduce((sum, trial) => sum + 1 / trial.count, 0);
  const within = meanOf(trials.map((trial) => trial.variance));
  const means = trials.map((trial) => trial.mean);
  const between = Math.max(0, variance(means, meanOf(means)) - within / iterations);
  const total = between + within / iterations;
  const shareOfTrials = total === 0 ? 0 : between / total;
  const optimum =
    costs && between > 0 ? Math.sqrt((costs.trialSeconds / costs.iterationSeconds) * (within / between)) : null;
  return {
    trials: trials.length,
    iterations,
    betweenTrials: Math.sqrt(between),
    betweenIterations: Math.sqrt(within),
    relative: positive,
    shareOfTrials,
    ...adviceOf(total, shareOfTrials),
    bestIterations: optimum === null || !Number.isFinite(optimum) ? null : Math.max(1, Math.ceil(optimum)),
  };
}

function adviceOf(total: number, shareOfTrials: number): Pick<Precision, 'advice' | 'sentence'> {
  if (total === 0) return { advice: 'neither', sentence: 'Neither trials nor iterations vary.' };
  const share = (part: number) => `${Math.round(100 * part)}\u00a0%`;
  return shareOfTrials >= 0.5
    ? {
        advice: 'more trials',
        sentence: `${share(shareOfTrials)} of the variance of a trial's mean lies between trials: more trials narrow the interval, more iterations hardly.`,
      }
    : {
        advice: 'more iterations',
        sentence: `${share(1 - shareOfTrials)} of the variance of a trial's mean lies between its iterations: more iterations per trial narrow the interval.`,
      };
}

function variance(values: readonly number[], mean: number): number {
  return (meanOf(values.map((value) => (value - mean) ** 2)) * values.length) / (values.length - 1);
}
