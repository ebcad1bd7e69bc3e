import type { Place } from '../lib/errors.ts';
import type { Cell, Primitive } from './types.ts';

/** The summary that stands for the samples of a cell; the median unless the study says otherwise. */
export type Statistic =
  | 'median'
  | 'mean'
  | 'min'
  | 'max'
  | 'sd'
  | 'cv'
  | 'mad'
  | 'q1'
  | 'q3'
  | 'p5'
  | 'p90'
  | 'p95'
  | 'p99'
  | 'n';

/**
 * A number of the report, as data: resolved against a journal when the report is made, never before.
 * `place` is the line of the study that wrote it.
 */
export type Expression =
  | {
      readonly op: 'stat';
      readonly metric: string;
      readonly at: Cell;
      readonly statistic: Statistic;
      readonly place: Place;
    }
  | {
      /** numerator / denominator: the median of within-block ratios. */
      readonly op: 'ratio';
      readonly metric: string;
      readonly numerator: Cell;
      readonly denominator: Cell;
      readonly place: Place;
    }
  | {
      /** minuend − subtrahend: the median of within-block differences. */
      readonly op: 'difference';
      readonly metric: string;
      readonly minuend: Cell;
      readonly subtrahend: Cell;
      readonly place: Place;
    }
  | {
      /**
       * How the metric grows over a numeric factor, at the other factors' levels `at`: the log-log slope, or with `per` the straight
       * line's rise in the metric's unit for that much of the factor (in the factor's own numbers: 2^30 for "1G").
       */
      readonly op: 'slope';
      readonly metric: string;
      readonly over: string;
      readonly per?: Primitive;
      readonly at: Cell;
      readonly place: Place;
    }
  | {
      /** Main effect of a factor: `level` / `against`, averaged over the other factors' levels that `where` leaves. */
      readonly op: 'effect';
      readonly metric: string;
      readonly factor: string;
      readonly level: Primitive;
      readonly against: Primitive;
      readonly where: Cell;
      readonly place: Place;
    }
  | {
      /** How many trials of a cell ended so: counted, or as a share (0 to 1) of all its trials with Clopper and Pearson's interval. */
      readonly op: 'outcome';
      readonly outcome: TrialOutcome;
      readonly as: 'count' | 'share';
      readonly at: Cell;
      readonly place: Place;
    };

/** How a trial can end; the journal's `Outcome`. */
export type TrialOutcome = 'ok' | 'failed' | 'timeout' | 'crashed' | 'skipped';

/** A checkable condition on expressions, decided by interval: supported, refuted or inconclusive. */
export type Check =
  | { readonly op: 'below'; readonly of: Expression; readonly limit: number }
  | { readonly op: 'above'; readonly of: Expression; readonly limit: number }
  | { readonly op: 'between'; readonly of: Expression; readonly low: number; readonly high: number }
  /** `within`: a fraction of `value` for stat, ratio and effect (1/(1+within) to 1+within times it); an amount for the others. */
  | { readonly op: 'equivalentTo'; readonly of: Expression; readonly value: number; readonly within: number }
  | { readonly op: 'and'; readonly checks: readonly Check[] }
  | { readonly op: 'or'; readonly checks: readonly Check[] }
  | { readonly op: 'not'; readonly check: Check };

/** `property`: should hold. `defect`: should stop holding once fixed. */
export type ClaimKind = 'property' | 'defect';
