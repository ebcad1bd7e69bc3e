import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Draft } from '../../src/draft/types.ts';
import type { Entry, TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { makePlan, type PlanRequest } from '../../src/plan/plan.ts';
import { chooseRun } from '../../src/run/choose.ts';
import type { RunEvent } from '../../src/run/events.ts';
import { type RunRequest, type RunResult, runStudy } from '../../src/run/run.ts';
import type { Study } from '../../src/study/study.ts';
import { studyOf } from '../plan/studies.ts';
import { type Fake, fakeWorld } from './fake.ts';

export interface Harness {
  readonly folder: string;
  readonly runDirectory: string;
  readonly events: RunEvent[];
  run(
    change?: Partial<RunRequest> & { readonly world?: Fake; readonly planRequest?: Partial<PlanRequest> },
  ): Promise<RunResult>;
  /** As the command line does: chooses the run to go on with, or begins one. */
  command(
    change?: Partial<RunRequest> & {
      readonly world?: Fake;
      readonly planRequest?: Partial<PlanRequest>;
      readonly fresh?: boolean;
      readonly runId?: string;
    },
  ): Promise<RunResult>;
  entries(directory?: string): Promise<Entry[]>;
  trials(directory?: string): Promise<TrialEntry[]>;
  remove(): Promise<void>;
}

/** A temporary output and cache folder, and a way to run a study in it. */
export async function harness(): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-run-'));
  const runDirectory = join(folder, 'output', 'tiny', '20260101T000000Z');
  const events: RunEvent[] = [];
  const entries = async (directory = runDirectory) => (await readJournal(directory)).entries;
  let runs = 0;
  return {
    folder,
    runDirectory,
    events,
    run: ({ world, planRequest, ...change } = {}) => {
      const study: Study = change.study ?? studyOf();
      return runStudy({
        study,
        draft: {} as Draft,
        plan: makePlan(study, { seed: 1, ...planRequest }),
        runDirectory,
        cacheDirectory: join(folder, 'cache'),
        toolVersion: '0.1.0',
        command: 'benchbook run tiny',
        signal: new AbortController().signal,
        report: (event) => events.push(event),
        effects: (world ?? fakeWorld()).effects,
        ...change,
      });
    },
    command: async ({ world, planRequest, fresh, runId, ...change } = {}) => {
      const study: Study = change.study ?? studyOf();
      const draft = { text: study.sourceText } as unknown as Draft;
      runs += 1;
      const choice = await chooseRun({
        study,
        draft,
        studyDirectory: join(folder, 'output', study.id),
        planRequest: { ...planRequest },
        runId: runId ?? `2026010${runs}T000000Z`,
        ...(fresh === undefined ? {} : { fresh }),
        ...(change.shard === undefined ? {} : { shard: change.shard }),
      });
      return await runStudy({
        study,
        draft,
        ...choice,
        cacheDirectory: join(folder, 'cache'),
        toolVersion: '0.1.0',
        command: 'benchbook run tiny',
        signal: new AbortController().signal,
        report: (event) => events.push(event),
        effects: (world ?? fakeWorld()).effects,
        ...change,
      });
    },
    entries,
    trials: async (directory) =>
      (await entries(directory)).filter((entry): entry is TrialEntry => entry.type === 'trial'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
