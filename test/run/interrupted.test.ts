import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { analyze } from '../../src/analysis/analysis.ts';
import { makeDraft } from '../../src/draft/draft.ts';
import type { Draft } from '../../src/draft/types.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { buildReport } from '../../src/report/report.ts';
import { sortEntries } from '../../src/report/run-data.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

const study = studyOf({
  factors: [factor('pool', ['128M', '1G', '4G']), factor('flush', ['a', 'b', 'c', 'd'])],
  profiles: {},
  baseline: { pool: '128M' },
  replicates: { min: 5, max: 5 },
  report: (words) => {
    const { md, stat, figure, claim, ratio } = words as Record<string, never> as unknown as Words;
    return [
      md`One holds ${stat('m.x', { pool: '1G', flush: 'a' })}.`,
      figure.interval({ metric: 'm.x', x: 'pool', color: 'flush' }),
      claim('less', 'less', ratio('m.x', { pool: ['4G', '128M'] }, { flush: 'b' }).below(0.8)),
    ];
  },
});

interface Words {
  md(text: TemplateStringsArray, ...values: unknown[]): unknown;
  stat(metric: string, at: object): unknown;
  figure: { interval(options: object): unknown };
  claim(id: string, sentence: string, check: unknown): unknown;
  ratio(metric: string, of: object, at: object): { below(limit: number): unknown };
}

test('a study of 3 × 4 variants in 5 blocks, interrupted three times, ends with 60 trials, each once, and the same report', async () => {
  const draft = makeDraft(study, 'tiny.study.ts');
  for (const stopAt of [7, 20, 31]) {
    const controller = new AbortController();
    let done = 0;
    const world = fakeWorld({ perform: async () => void (++done === stopAt && controller.abort()) });
    expect(await place.run({ study, draft, world, signal: controller.signal })).toMatchObject({ interrupted: true });
  }
  expect(await place.run({ study, draft })).toMatchObject({ trials: 60, ok: 60, interrupted: false });
  const interrupted = await place.entries();
  const ids = (await place.trials()).filter(({ block }) => block > 0).map(({ trialId }) => trialId);
  expect(ids).toHaveLength(60);
  expect(new Set(ids).size).toBe(60);

  // A run of the same name elsewhere, since reports tell it.
  const whole = join(place.folder, 'whole', basename(place.runDirectory));
  await place.run({ study, draft, runDirectory: whole });
  const uninterrupted = await place.entries(whole);
  expect(reportOf(interrupted, draft)).toEqual(reportOf(uninterrupted, draft));
});

/** The report without dates, and without the notes of the interruptions, which a reader is told. */
function reportOf(entries: readonly Entry[], draft: Draft): unknown {
  const date = '2026-01-01T00:00:00.000Z';
  const undated = entries
    .filter(({ type }) => type !== 'note')
    .map((entry) => ({
      ...entry,
      ...('at' in entry ? { at: date } : {}),
      ...('startedAt' in entry ? { startedAt: date } : {}),
    }));
  return buildReport(sortEntries(undated), draft, analyze(undated, draft));
}
