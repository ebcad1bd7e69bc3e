import { expect, it } from 'vitest';
import type { Draft, DraftBlock } from '../../src/draft/types.ts';
import { claimsOf } from '../../src/report/claims.ts';
import { misfit, plannedParts } from '../../src/report/planned-parts.ts';

const place = { file: 'a.study.ts' };
const claim = {
  type: 'claim',
  id: 'c',
  sentence: 'It is so',
  check: {
    op: 'below',
    of: { op: 'stat', metric: 'a.b', at: { pool: '4G', threads: 4 }, statistic: 'median', place },
    limit: 1,
  },
  expression: '',
  kind: 'property',
  place,
} as const satisfies DraftBlock;

const draftWith = (...blocks: DraftBlock[]) => ({ blocks }) as unknown as Draft;
const part = (...needs: Readonly<Record<string, string | number>>[]): DraftBlock => ({
  type: 'part',
  title: 'Larger pools',
  needs,
  blocks: [claim],
  place,
});
const PLAN = { variants: [{ cell: { pool: '4G' }, withinCells: [{ threads: 1 }, { threads: 4 }] }] };

it('keeps a part whose cells the run planned, within cells included', () => {
  const { blocks } = plannedParts(draftWith(part({ pool: '4G', threads: 4 })), PLAN);
  expect(blocks.map((block) => block.type)).toEqual(['prose', 'claim']);
});

it('leaves a part out, with its claims and a sentence, where one of its cells was not planned', () => {
  const draft = plannedParts(draftWith(part({ pool: '4G' }, { pool: '4G', threads: 8 })), PLAN);
  expect(claimsOf(draft)).toEqual([]);
  expect(JSON.stringify(draft.blocks)).toContain('left out the cells');
});

it('finds parts inside other blocks, and says nothing twice when done twice', () => {
  const nested = draftWith({ type: 'details', summary: 'More', blocks: [part({ pool: '1G' })], place });
  const once = plannedParts(nested, PLAN);
  expect(claimsOf(once)).toEqual([]);
  expect(plannedParts(once, PLAN)).toEqual(once);
});

it('an edited study that can no longer tell of a run is told why', () => {
  const factors = (...all: { name: string; labels: readonly (string | number)[] }[]) =>
    ({ factors: all }) as unknown as Draft;
  const [pool, threads] = [
    { name: 'pool', labels: ['1G', '4G'] },
    { name: 'threads', labels: [1, 4] },
  ];
  expect(misfit(factors(pool!, threads!), PLAN)).toBeNull();
  expect(misfit(factors({ name: 'pool', labels: ['1G'] }, threads!), PLAN)).toBe(
    'no longer has pool 4G, which this run measured',
  );
  expect(misfit(factors(pool!, threads!, { name: 'more', labels: ['a'] }), PLAN)).toBe(
    'has a factor more, which this run did not know',
  );
});
