import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Draft } from '../../src/draft/types.ts';
import type { Entry, TrialEntry } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { makePlan, type PlanRequest } from '../../src/plan/plan.ts';
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
  entries(): Promise<Entry[]>;
  trials(): Promise<TrialEntry[]>;
  remove(): Promise<void>;
}

/** A temporary output and cache folder, and a way to run a study in it. */
export async function harness(): Promise<Harness> {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-run-'));
  const runDirectory = join(folder, 'output', 'tiny', '20260101T000000Z');
  const events: RunEvent[] = [];
  const entries = async () => (await readJournal(runDirectory)).entries;
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
    entries,
    trials: async () => (await entries()).filter((entry): entry is TrialEntry => entry.type === 'trial'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
