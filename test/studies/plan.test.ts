import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { makeDraft } from '../../src/draft/draft.ts';
import * as api from '../../src/index.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { resolveVariant } from '../../src/run/variants.ts';
import { loadStudy } from '../../src/study/load.ts';

const FOLDER = fileURLToPath(new URL('../../studies', import.meta.url));
const FILES = readdirSync(FOLDER).filter((name) => name.endsWith('.study.ts'));

// Nothing is started: a study that names what is not there must fail here, and not after an hour of measuring.
describe.each(FILES)('%s', async (name) => {
  const study = await loadStudy(join(FOLDER, name), api);

  it('has a report whose metrics, factors and levels exist', () => {
    expect(makeDraft(study, `studies/${name}`).blocks.length).toBeGreaterThan(0);
  });

  it.each([null, ...Object.keys(study.profiles)])('plans every variant of profile %s', async (profile) => {
    const inProfile = await loadStudy(join(FOLDER, name), api, profile);
    expect(makeDraft(inProfile, `studies/${name}`).blocks.length).toBeGreaterThan(0);
    const plan = makePlan(inProfile, { seed: 1 });
    // Six blocks are the fewest that give a 95 % interval of a median.
    expect(plan.replicates.min).toBeGreaterThanOrEqual(6);
    for (const variant of plan.variants) {
      const stages = resolveVariant(inProfile, variant).stages(variant.withinCells);
      expect(stages.length).toBeGreaterThan(0);
    }
  });
});

it('finds the studies', () => {
  expect(FILES).toContain('io-bound-scan.study.ts');
});
