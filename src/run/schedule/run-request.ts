import type { Draft } from '../../draft/types.ts';
import type { RerunRecord } from '../../journal/entry.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Study } from '../../study/study.ts';
import type { Report } from '../events.ts';
import type { PreservedFile } from '../preserved-files.ts';
import type { Effects } from '../world/effects.ts';
import type { RequiredLevel } from './required.ts';

export interface RunRequest {
  readonly study: Study;
  readonly draft: Draft;
  readonly plan: Plan;
  /** A new folder, or that of a run of the same study and plan, which then goes on. */
  readonly runDirectory: string;
  /** Where a new run goes when the run in `runDirectory` cannot go on, because the server, the machine or the measuring code has changed. */
  readonly otherDirectory?: string;
  /** Folders of previous runs whose trials may be reused, newest first. */
  readonly previousRuns?: readonly string[];
  /** Tries again the trials of the run folder that did not end ok, and reuses only ok trials of previous runs. */
  readonly retryFailed?: boolean;
  /** Reuses old samples of a baseline although the samples compared with it are new; they do not pair. */
  readonly keepBaseline?: boolean;
  readonly cacheDirectory: string;
  readonly toolVersion: string;
  /** The command line, ready to paste. */
  readonly command: string;
  /** The levels that the command names, as `factor=level`; the plan holds no others of their factors. */
  readonly only?: readonly string[];
  /** Runs whole blocks `index`, `index + count`, … only. */
  readonly shard?: { readonly index: number; readonly count: number };
  /** What this run repeats, and with which level replaced. */
  readonly rerun?: RerunRecord;
  /** Levels that the command line names: where one cannot be measured, nothing is. */
  readonly required?: readonly RequiredLevel[];
  /** What is kept of a server that crashes, hangs or runs out of time; nothing where absent. */
  readonly keep?: readonly PreservedFile[];
  /** Measures also where another run measures on this machine. */
  readonly force?: boolean;
  /** The program that runs the study's own code in a process of its own; it runs in this one where absent. */
  readonly codeProgram?: string;
  readonly signal: AbortSignal;
  readonly report: Report;
  /** Servers and machine; the real ones unless a test gives others. */
  readonly effects?: Effects;
}

export type Request = RunRequest & { readonly effects: Effects };
