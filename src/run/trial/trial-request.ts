import type { Journal } from '../../journal/write.ts';
import type { PlannedTrial } from '../../plan/order.ts';
import type { Build } from '../../server/build.ts';
import type { Cell, Measurement, Setup, TrialPolicy } from '../../study/types.ts';
import type { OwnCodeProcesses } from '../own-code/own-code.ts';
import type { Preservation } from '../preserved-files.ts';
import type { Effects, Preparation } from '../world/effects.ts';
import type { Roots } from './relative-paths.ts';

/** Measurements to be made at one within cell, in the order declared. */
export interface Stage {
  readonly within: Cell;
  /** Labels of the factors whose values the measurements are made for. */
  readonly cell: Cell;
  readonly values: Readonly<Record<string, unknown>>;
  readonly measurements: Readonly<Record<string, Measurement>>;
}

export interface TrialRequest {
  readonly planned: Omit<PlannedTrial, 'withinOrder'>;
  readonly counted: boolean;
  readonly build: Build;
  readonly setup: Setup;
  readonly stages: readonly Stage[];
  readonly policy: TrialPolicy;
  /** Put before the server's command: `taskset -c 0`. */
  readonly prefix: readonly string[];
  /** Called before each measurement. Resolves when the other trial of the duet is ready too. */
  readonly step?: () => Promise<void>;
  /** Where the trial's own data directory is made, 0700. */
  readonly trialsDirectory: string;
  readonly studyDirectory: string;
  readonly ownCode: OwnCodeProcesses | undefined;
  /** Copies that trials use one after the other, by what they are copies of; null where each has its own. */
  readonly copies: Map<string, string> | null;
  /** What the measurements of the run remember for later ones. */
  readonly runState: Map<string, unknown>;
  readonly roots: Roots;
  readonly preservation: Preservation;
  readonly effects: Effects;
  readonly preparation: Preparation;
  readonly putArtefact: Journal['putArtefact'];
  readonly phase: (text: string) => void;
  /** Called with a further directory that the trial's server runs in. */
  readonly watchAlso: (directory: string) => void;
}
