import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDraft } from '../../src/draft/draft.ts';
import * as api from '../../src/index.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { resolveVariant } from '../../src/run/variants.ts';
import { loadStudy } from '../../src/study/load.ts';

let folder = '';
beforeAll(async () => {
  // As the command does; the test runner has its own way, which knows only what it has loaded itself.
  process.setSourceMapsEnabled(true);
  Reflect.deleteProperty(Error, 'prepareStackTrace');
  process.env.BENCHBOOK_STUDY_SECONDS = '0.3';
  folder = await mkdtemp(join(tmpdir(), 'benchbook-callbacks-'));
});
afterAll(async () => {
  delete process.env.BENCHBOOK_STUDY_SECONDS;
  await rm(folder, { recursive: true, force: true });
});

const GOOD: Readonly<Record<string, string>> = {
  setup: '() => ({ server: servers.installed() })',
  exclude: '() => false',
  derive: '() => ({ more: 1 })',
  measurements: '() => ({ startup: measure.startup() })',
  until: "({ halfWidth }) => halfWidth('startup.ready').below(0.1)",
  report: '() => []',
  'top level': '',
};

/** A study in which the callback does this first, on line 8. */
async function opened(callback: string, does: string): Promise<void> {
  const body = (name: string) => `(...all) => {\n${name === callback ? does : ''}\nreturn (${GOOD[name]})(...all); }`;
  const isRow = callback === 'load.generate';
  const load = `load.generate('t', 3000, ['a'], (n) => {\n${isRow ? does : ''}\nreturn [n]; })`;
  const text = `import { dataset, defineStudy, load, measure, servers } from 'benchbook';
${callback === 'top level' ? `\n\n\n\n\n${does}` : ''}
const data = () => dataset({ name: 'd', schema: ['CREATE TABLE t (a INT)'], order: 'a', load: [${load}] });
export default defineStudy({
  title: 't',
  variants: { factors: { a: ['1', '2'] }, exclude: ${body('exclude')}, derive: ${body('derive')} },
  setup: ${isRow ? '() => ({ server: servers.installed(), data: data() })' : body('setup')},
  measurements: ${body('measurements')},
  replicates: { min: 6, max: 9, until: ${body('until')} },
  report: ${body('report')},
} as never);
`;
  const file = join(folder, `${callback.replace(/\W/g, '')}-${Math.random()}.study.ts`);
  await writeFile(file, text);
  const study = await loadStudy(file, api);
  makeDraft(study, 'x.study.ts');
  for (const variant of makePlan(study, { seed: 1 }).variants) {
    const { setup, stages } = resolveVariant(study, variant);
    stages(variant.withinCells);
    for (const step of setup.data?.load ?? []) if (step.step === 'client rows') step.row(0);
  }
}

const CALLBACKS = [...Object.keys(GOOD), 'load.generate'];

describe.each(CALLBACKS)('%s', (callback) => {
  test('that throws is an error of the study, with file and line', async () => {
    const thrown = opened(callback, "throw new TypeError('no such thing');");
    await expect(thrown).rejects.toMatchObject({
      code: 'study',
      message: expect.stringContaining('no such thing'),
      place: { file: expect.stringContaining('.study.ts'), line: expect.any(Number) },
    });
  });

  test('that does not return is ended, and named', async () => {
    await expect(opened(callback, 'for (;;) {}')).rejects.toMatchObject({
      code: 'study',
      message: `The study's '${callback}' did not return within 0.3 s.`,
      place: { file: expect.stringContaining('.study.ts') },
    });
  });

  test('cannot end the process', async () => {
    await expect(opened(callback, 'process.exit(0);')).rejects.toMatchObject({
      code: 'study',
      message: expect.stringContaining('it calls process.exit with 0'),
    });
  });

  test('may be as it is', () => opened(callback, ''));
});
