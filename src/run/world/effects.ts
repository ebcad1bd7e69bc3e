import { rm } from 'node:fs/promises';
import { applyControls, applyStorage } from '../../host/apply.ts';
import { canary } from '../../host/canary.ts';
import { readHost } from '../../host/facts.ts';
import { restoreLeftovers } from '../../host/restore.ts';
import { watchHost } from '../../host/watch.ts';
import type { JsonValue, SettingRecord } from '../../journal/entry.ts';
import type { Lock } from '../../lib/process/kernel-lock.ts';
import type { MeasureResult, TrialContext } from '../../measure/context.ts';
import { perform } from '../../measure/perform.ts';
import { prepareTools } from '../../measure/prepare.ts';
import type { Build, ServerEnvironment } from '../../server/build.ts';
import { reapLeftovers, workDirectory } from '../../server/cache.ts';
import { resolveBuild } from '../../server/resolve.ts';
import { readSettings, readVariables } from '../../server/settings.ts';
import {
  abortForCore,
  allowCores,
  collectEvidence,
  type Server,
  type StartRequest,
  startServer,
} from '../../server/start.ts';
import { type Copied, copyDataDirectory, type StartingPoint, startingPoint } from '../../server/starting-point.ts';
import type { Measurement, Options, ServerSource, Setup } from '../../study/types.ts';
import { preserveFiles } from '../preserved-files.ts';
import { type Watchdog, watchOver } from '../trial/watchdog.ts';
import { halvesOfCores } from './cores.ts';
import { lockHost } from './host-lock.ts';

/** Where files are kept while preparing, who gets progress messages, and when to stop. */
export interface Preparation {
  readonly cacheDirectory: string;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal;
  readonly limits?: ServerEnvironment['limits'];
}

/**
 * All that the engine does to the world below it. `realEffects` does it; scheduling is tested with one whose servers are
 * plain objects and whose clock is declared.
 */
export interface Effects {
  /** Facts of the machine and of the storage that holds the directory. */
  readHost(directory: string): Promise<{ readonly hostClass: JsonValue; readonly facts: JsonValue }>;
  resolveBuild(source: ServerSource, preparation: Preparation): Promise<Build>;
  /** What trials of a variant are copied from: its data set, or nothing but system tables; made once. */
  startingPoint(
    build: Build,
    setup: Pick<Setup, 'options' | 'data' | 'engine'>,
    preparation: Preparation,
  ): Promise<StartingPoint>;
  copyDataDirectory(from: string, to: string): Promise<Copied>;
  startServer(build: Build, request: StartRequest): Promise<Server>;
  readSettings(server: Server, options: Options): Promise<readonly SettingRecord[]>;
  readVariables(server: Server): Promise<Readonly<Record<string, string>>>;
  /** Fetches the programs that measurements need, before any trial. */
  prepareTools(measurements: readonly Measurement[], preparation: Preparation): Promise<void>;
  perform(name: string, measurement: Measurement, context: TrialContext): Promise<MeasureResult>;
  /** What can still be learnt from a server that hangs, by name. */
  collectEvidence(server: Server): Promise<Readonly<Record<string, string>>>;
  /** Lets servers leave core files; a sentence where that is cut off or forbidden. */
  allowCores(): Promise<string | null>;
  /** Ends a server that hangs so that it leaves a core file. */
  abortForCore(server: Server): Promise<void>;
  /** Moves data directory or core file of an ended server into the run folder. */
  preserveFiles: typeof preserveFiles;
  /** Restores the machine, ends servers and removes folders that a killed run left behind; one sentence for each. */
  reapLeftovers(cacheDirectory: string): Promise<readonly string[]>;
  /** A private folder for trials, gone with this process. */
  workDirectory(cacheDirectory: string): Promise<string>;
  removeDirectory(path: string): Promise<void>;
  /** Where a study asks for other storage. */
  applyStorage: typeof applyStorage;
  /** Brings the machine into the state that a variant asks for, until it is reverted. */
  applyControls: typeof applyControls;
  /** Watches what else the machine does. */
  watchHost: typeof watchHost;
  /** A fixed workload that shows drift of the machine itself: seconds and rates by name. */
  canary(directory: string): Promise<Readonly<Record<string, number>>>;
  /** Sees to the end of what runs in a directory, should this process be killed. */
  watchOver(directory: string): Watchdog;
  /** One run at a time on this machine, unless `force`. */
  lockHost(holder: string, force: boolean, report: (text: string) => void): Promise<Lock>;
  /** The usable cores in two halves, for taskset. */
  halvesOfCores(): Promise<readonly [string, string]>;
  /** Wall clock, for dates only. */
  now(): Date;
  /** Monotonic, for durations: seconds from any origin. */
  seconds(): number;
}

/** Real servers on the real machine. */
export const realEffects: Effects = {
  readHost,
  resolveBuild,
  startingPoint,
  copyDataDirectory,
  startServer,
  readSettings,
  readVariables,
  prepareTools,
  perform,
  collectEvidence,
  allowCores,
  abortForCore: ({ pid, exited }) => abortForCore(pid, exited),
  preserveFiles,
  reapLeftovers: async (cache) => {
    const restored = await restoreLeftovers(cache);
    return [...restored.map(({ sentence }) => sentence), ...(await reapLeftovers(cache))];
  },
  workDirectory,
  applyStorage,
  applyControls,
  watchHost,
  canary,
  watchOver,
  lockHost,
  halvesOfCores,
  removeDirectory: (path) => rm(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  now: () => new Date(),
  seconds: () => performance.now() / 1000,
};
