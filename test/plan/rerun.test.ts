import { describe, expect, test } from 'vitest';
import { makePlan } from '../../src/plan/plan.ts';
import { type Replacement, replaceLevel, withControlLevel } from '../../src/plan/rerun.ts';
import type { Study } from '../../src/study/study.ts';
import type { ServerSource } from '../../src/study/types.ts';
import { studyOf } from './studies.ts';

const debian = (suite: string): ServerSource => ({ source: 'debian', suite });
const NEW = debian('trixie');

/** Three servers and two pools; 4G is excluded on the oldest. */
function study(baseline: Study['baseline'] = { server: 'old' }): Study {
  return {
    ...studyOf(),
    factors: [
      {
        name: 'server',
        within: false,
        levels: [
          { label: 'old', value: debian('bullseye') },
          { label: 'mid', value: debian('bookworm') },
        ],
      },
      { name: 'pool', within: false, levels: ['1G', '4G'].map((label) => ({ label, value: label })) },
    ],
    only: null,
    baseline,
    exclude: (cell) => (cell.server === 'old' && cell.pool === '4G' ? 'too old' : false),
    setup: (values) => ({
      server: values.server as ServerSource,
      options: { innodb_buffer_pool_size: String(values.pool) },
    }),
  };
}

const replace = (of: Study, change: Partial<Replacement> = {}) =>
  replaceLevel(of, makePlan(of, { seed: 7 }), {
    factor: 'server',
    level: 'old',
    source: NEW,
    againstOld: false,
    ...change,
  });
const cells = (plan: { readonly variants: readonly { readonly cell: object }[] }) =>
  plan.variants.map(({ cell }) => Object.values(cell).join(' '));

describe('replacing a level', () => {
  test('the baseline itself: the old server is added as a control in the same blocks', () => {
    const { study: replaced, plan, control } = replace(study());
    expect(control).toEqual({ level: 'old (old)', is: 'old' });
    expect(cells(plan)).toEqual(['old 1G', 'mid 1G', 'mid 4G', 'old (old) 1G']);
    expect(plan).toMatchObject({ seed: 7, replicates: makePlan(study(), { seed: 7 }).replicates });
    const levels = replaced.factors[0]!.levels;
    expect(levels[0]).toEqual({ label: 'old', value: NEW });
    expect(levels[2]).toEqual({ label: 'old (old)', value: debian('bullseye') });
    // What the study says of the old level holds for the control.
    expect(replaced.exclude({ server: 'old (old)', pool: '4G' })).toBe('too old');
  });

  test('another level: the baseline is the control, and the plan is the same', () => {
    const { plan, control } = replace(study(), { level: 'mid' });
    expect(control).toEqual({ level: 'old', is: 'old' });
    expect(plan).toEqual(makePlan(study(), { seed: 7 }));
    const beside = replace(study(), { level: 'mid', againstOld: true });
    expect(beside.control).toEqual({ level: 'mid (old)', is: 'mid' });
    expect(cells(beside.plan)).toContain('mid (old) 4G');
  });

  test('without a baseline the old server is the control', () => {
    expect(replace(study({})).control.level).toBe('old (old)');
  });

  test('two builds from source share options and target', () => {
    const git = { source: 'git', repository: '/r', ref: 'a', cmake: ['-DX=1'], target: 'mariadbd' } as const;
    const base = study();
    const from = {
      ...base,
      factors: base.factors.map((factor) =>
        factor.name === 'server' ? { ...factor, levels: [{ label: 'old', value: git }] } : factor,
      ),
    };
    // What setup returns went through a check that may have put its fields in another order.
    from.setup = (values) => {
      const { source, ...rest } = values.server as { readonly source: 'git' };
      return { server: { source, ...rest } as ServerSource };
    };
    const { study: replaced } = replace(from, { source: { source: 'git', repository: '/r', ref: 'b' } });
    expect(replaced.factors[0]!.levels[0]!.value).toEqual({ ...git, ref: 'b' });
  });

  test("a rerun's report knows the control's level also from a study edited since", () => {
    const again = withControlLevel(study(), { factor: 'server', control: { level: 'old (old)', is: 'old' } });
    expect(again.factors[0]!.levels.map(({ label }) => label)).toEqual(['old', 'mid', 'old (old)']);
    expect(withControlLevel(study(), { factor: 'server', control: { level: 'old', is: 'old' } })).toEqual({
      ...study(),
      exclude: expect.any(Function),
      setup: expect.any(Function),
      measurements: expect.any(Function),
      report: expect.any(Function),
    });
  });

  test('what cannot be replaced is told in a sentence', () => {
    expect(() => replace(study(), { factor: 'pool', level: '1G' })).toThrow(/Level 1G of factor pool is no server/);
    const fixed = { ...study(), setup: () => ({ server: debian('bookworm') }) };
    expect(() => replace(fixed)).toThrow(/does not start the server that level old of factor server names/);
    const small = study();
    const plan = makePlan(small, { seed: 1, only: ['server=mid'] });
    expect(() => replaceLevel(small, plan, { factor: 'server', level: 'old', source: NEW, againstOld: false })).toThrow(
      /measured nothing at server old/,
    );
  });
});
