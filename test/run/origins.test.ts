import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { TrialEntry } from '../../src/journal/entry.ts';
import { chooseOrigins, originOf, type Partner } from '../../src/run/reuse/origins.ts';

/** Runs that hold a trial of a variant in a block, newest first. */
type Held = Readonly<Record<string, readonly (readonly number[])[]>>;

const DEPENDENTS = ['v', 'w', 'x'];
const STAR: readonly Partner[] = DEPENDENTS.map((id) => [id, 'base']);

function choose(held: Held, more: { duets?: readonly Partner[]; keepBaseline?: boolean } = {}) {
  const trial = (id: string, block: number, run: number) =>
    ({
      variantId: id,
      block,
      trialId: `${id}${block}`,
      reused: { runId: `run ${run}`, line: 1, hash: '' },
    }) as TrialEntry;
  const candidates = new Map(
    Object.entries(held).map(([id, blocks]) => [
      id,
      new Map(
        blocks.map((runs, index) => [
          index + 1,
          [...runs].sort((a, b) => b - a).map((run) => trial(id, index + 1, run)),
        ]),
      ),
    ]),
  );
  const chosen = chooseOrigins({
    blocks: [1, 2, 3],
    candidates,
    baselines: more.duets === undefined ? STAR : [],
    keepBaseline: more.keepBaseline ?? false,
    duets: more.duets ?? [],
    isOwn: () => false,
  });
  return (id: string, block: number) => {
    const found = chosen.get(id)!.get(block);
    return found === undefined ? null : Number(originOf(found).replace(/\D/g, ''));
  };
}

const runs = fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 4 });
const byBlock = fc.array(runs, { minLength: 3, maxLength: 3 });
const star = fc.record({ base: byBlock, v: byBlock, w: byBlock, x: byBlock });
const pair = fc.record({ v: byBlock, w: byBlock });

test('an option edited and edited back: variant and baseline come from the same run', () => {
  const at = choose({ base: [[1, 2]], v: [[1]], w: [[1]], x: [[1]] });
  expect(['base', 'v', 'w', 'x'].map((id) => at(id, 1))).toEqual([1, 1, 1, 1]);
});

test('whatever was measured when: as many trials as possible pair with their baseline, and only what is there is kept', () => {
  fc.assert(
    fc.property(star, fc.boolean(), (held, keepBaseline) => {
      const at = choose(held, { keepBaseline });
      for (const block of [1, 2, 3]) {
        const has = (id: 'base' | 'v' | 'w' | 'x') => held[id][block - 1]!;
        const ids = ['v', 'w', 'x'] as const;
        for (const id of ids) expect(at(id, block) === null).toBe(has(id).length === 0);
        for (const id of ['base', ...ids] as const)
          if (at(id, block) !== null) expect(has(id)).toContain(at(id, block));
        const isMissing = ids.some((id) => has(id).length === 0);
        if (isMissing && !keepBaseline) expect(at('base', block)).toBeNull();
        else {
          const most = Math.max(0, ...has('base').map((run) => ids.filter((id) => has(id).includes(run)).length));
          expect(ids.filter((id) => at(id, block) !== null && at(id, block) === at('base', block))).toHaveLength(most);
        }
      }
    }),
  );
});

test('the halves of a duet come from one run, or both are measured again', () => {
  const duets: readonly Partner[] = [
    ['v', 'w'],
    ['w', 'v'],
  ];
  fc.assert(
    fc.property(pair, (held) => {
      const at = choose(held, { duets });
      for (const block of [1, 2, 3]) {
        const common = held.v[block - 1]!.filter((run) => held.w[block - 1]!.includes(run));
        const expected = common.length === 0 ? null : Math.max(...common);
        expect([at('v', block), at('w', block)]).toEqual([expected, expected]);
      }
    }),
  );
});
