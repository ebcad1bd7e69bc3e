import type { Caution, CellLabels, JsonValue, Outcome } from '../journal/entry.ts';
import { count } from '../lib/units.ts';
import type { Unit } from '../study/types.ts';

/** Trials by state, and the time that the rest will take. */
export interface Progress {
  /** In the journal, from this and previous sessions. */
  readonly done: number;
  /** Planned at most; an until rule may end the run before. */
  readonly total: number;
  /** Seconds; null before the first trial has ended. */
  readonly remainingSeconds: number | null;
}

interface OfTrial {
  readonly trialId: string;
  readonly cell: CellLabels;
  /** 0 for the excluded first start of a build. */
  readonly block: number;
  readonly position: number;
  /** Which try, from 1, where the study asks for retries. */
  readonly attempt?: number;
}

/** One number of a trial, with all that it takes to read it. */
export interface ShownValue {
  readonly metric: string;
  readonly value: number;
  readonly unit: Unit;
  /** The cell of factors within the trial that it belongs to. */
  readonly within?: CellLabels;
}

/** What happens during a run, for people, logs and machines alike: plain JSON. */
export type RunEvent =
  | {
      readonly type: 'run started';
      readonly runDirectory: string;
      readonly seed: number;
      readonly variants: number;
      readonly blocks: { readonly min: number; readonly max: number };
      readonly done: number;
      readonly total: number;
      /** True where an interrupted run goes on. */
      readonly resumed: boolean;
    }
  /** Something slow that is no trial: fetching, unpacking, building. */
  | { readonly type: 'preparing'; readonly text: string }
  | {
      readonly type: 'build resolved';
      readonly buildId: string;
      readonly version: string;
      readonly obtained: JsonValue;
    }
  /** Before anything is measured: what is reused from previous runs, what is measured, and why. */
  | {
      readonly type: 'variant decided';
      readonly variantId: string;
      readonly cell: CellLabels;
      readonly kept: number;
      readonly toMeasure: number;
      readonly reason: string;
    }
  | ({ readonly type: 'block started'; readonly block: number; readonly lastBlock: number } & Progress)
  | ({ readonly type: 'trial started' } & OfTrial & Progress)
  | ({ readonly type: 'trial phase'; readonly phase: string } & OfTrial)
  | ({
      readonly type: 'trial ended';
      readonly outcome: Outcome;
      readonly reason?: string;
      /** How many trials of the variant failed in a row, where it was given up; the reason repeats that of the last one. */
      readonly givenUpAfter?: number;
      readonly durationSeconds: number;
      /** The median of each metric's first series. */
      readonly values: readonly ShownValue[];
      readonly cautions: readonly Caution[];
    } & OfTrial &
      Progress)
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'interrupted'; readonly text: string }
  | {
      readonly type: 'ended';
      readonly trials: number;
      readonly ok: number;
      /** Skipped because the build or the machine lacks what they ask for. */
      readonly lacking: number;
      readonly notOk: number;
      readonly complete: boolean;
      readonly runDirectory: string;
    };

/** Why a variant is given up, without what its last trial said. */
export function givenUpText(trials: number): string {
  return `given up after ${count(trials, 'trial')} of this variant in a row that did not end ok`;
}

export type Report = (event: RunEvent) => void;
