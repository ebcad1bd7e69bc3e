import { isDeepStrictEqual } from 'node:util';
import { BenchbookError } from '../lib/errors.ts';
import type { Study } from '../study/study.ts';
import type { Cell, Factor, Primitive, ServerSource } from '../study/types.ts';
import { type Plan, type Variant, variantId } from './plan.ts';

export interface Replacement {
  readonly factor: string;
  readonly level: Primitive;
  readonly source: ServerSource;
  /** Measures the replaced server again as the control, also where the baseline could be the control. */
  readonly againstOld: boolean;
}

export interface ReplacedPlan {
  readonly study: Study;
  readonly plan: Plan;
  /** The level measured in the same blocks as a control: `level` now is the same server as `is` was. */
  readonly control: { readonly level: Primitive; readonly is: Primitive };
}

/**
 * The same study and plan with another server at one level. The level keeps its label. The control is the baseline of
 * that factor, which the plan measures anyway. Where the baseline is replaced, where there is none, or where the user asks for
 * it, the old server becomes a further level, with the same levels of the other factors and in the same blocks.
 *
 * @throws BenchbookError `usage` where the level is not in the plan or is no server; `study` as the study's functions do.
 */
export function replaceLevel(study: Study, plan: Plan, wanted: Replacement): ReplacedPlan {
  const factor = study.factors.find(({ name }) => name === wanted.factor)!;
  const old = serverAt(study, factor, wanted.level);
  const replacement = { ...wanted, source: withSameBuildOptions(wanted.source, old) };
  const touched = plan.variants.filter(({ cell }) => cell[factor.name] === replacement.level);
  if (touched.length === 0) {
    throw new BenchbookError(
      'usage',
      `The run measured nothing at ${factor.name} ${replacement.level}, so that nothing of it can be measured again.`,
      { hint: `it measured ${measuredLevels(plan, factor).join(', ')}` },
    );
  }
  const baseline = study.baseline[factor.name];
  const baselineServes =
    baseline !== undefined &&
    baseline !== replacement.level &&
    !replacement.againstOld &&
    plan.variants.some(({ cell }) => cell[factor.name] === baseline);
  if (baselineServes) {
    const replaced = withLevels(study, factor, replacement, null);
    return { study: checked(replaced, touched, old, replacement), plan, control: { level: baseline, is: baseline } };
  }
  const label = controlLabel(factor, replacement.level);
  const replaced = withLevels(study, factor, replacement, { label, value: old });
  const added = touched.map(({ cell, withinCells }): Variant => {
    const controlCell = { ...cell, [factor.name]: label };
    return { id: variantId(controlCell), cell: controlCell, withinCells };
  });
  return {
    study: checked(replaced, touched, old, replacement),
    plan: { ...plan, variants: [...plan.variants, ...added] },
    control: { level: label, is: replacement.level },
  };
}

/** The study as a rerun's report sees it, also when its prose was edited since: with the control's level, where the rerun added one. */
export function withControlLevel(
  study: Study,
  { factor, control }: { readonly factor: string } & Pick<ReplacedPlan, 'control'>,
): Study {
  const factors = study.factors.map((each) => {
    const old = each.levels.find(({ label }) => label === control.is);
    if (each.name !== factor || !old || each.levels.some(({ label }) => label === control.level)) return each;
    return { ...each, levels: [...each.levels, { label: control.level, value: old.value }] };
  });
  return { ...study, factors };
}

function serverAt(study: Study, factor: Factor, level: Primitive): ServerSource {
  const value = factor.levels.find(({ label }) => label === level)!.value;
  if (typeof value === 'object' && value !== null && 'source' in value) return value as ServerSource;
  throw new BenchbookError(
    'usage',
    `Level ${level} of factor ${factor.name} is no server of study ${study.id}, so that no other can take its place.`,
    { hint: 'a level that can be replaced has one of `servers.…()` as its value' },
  );
}

/** A build from source gets the build options and target of the old one, so that only the source differs. */
function withSameBuildOptions(source: ServerSource, old: ServerSource): ServerSource {
  if (source.source !== 'git' || old.source !== 'git') return source;
  const { cmake, target } = old;
  return { ...(cmake === undefined ? {} : { cmake }), ...(target === undefined ? {} : { target }), ...source };
}

function withLevels(
  study: Study,
  factor: Factor,
  { level, source }: Replacement,
  added: Factor['levels'][number] | null,
): Study {
  const levels = [
    ...factor.levels.map((each) => (each.label === level ? { label: each.label, value: source } : each)),
    ...(added === null ? [] : [added]),
  ];
  const withReplacedLabel = (cell: Cell): Cell =>
    added !== null && cell[factor.name] === added.label ? { ...cell, [factor.name]: level } : cell;
  return {
    ...study,
    factors: study.factors.map((each) => (each.name === factor.name ? { ...factor, levels } : each)),
    // The study does not know the added level, so ask it about the replaced one.
    exclude: (cell) => study.exclude(withReplacedLabel(cell)),
  };
}

/** Refuses a study whose setup does not take its server from the level: it would measure the old server under a new name. */
function checked(study: Study, touched: readonly Variant[], old: ServerSource, replacement: Replacement): Study {
  const same = isDeepStrictEqual(old, replacement.source);
  for (const { cell } of touched) {
    const values = Object.fromEntries(
      study.factors
        .filter(({ name, within }) => !within && cell[name] !== undefined)
        .map(({ name, levels }) => [name, levels.find(({ label }) => label === cell[name])!.value]),
    );
    const { server } = study.setup(values);
    if (same || isDeepStrictEqual(server, replacement.source)) continue;
    throw new BenchbookError(
      'usage',
      `The setup of study ${study.id} does not start the server that level ${replacement.level} of factor ${replacement.factor} names.`,
      { hint: 'only a level that setup returns as `server` can be replaced' },
    );
  }
  return study;
}

/** A label that the factor does not have yet. */
function controlLabel({ levels }: Factor, level: Primitive): string {
  const names = new Set(levels.map(({ label }) => String(label)));
  for (let number = 1; ; number += 1) {
    const label = `${level} (old${number === 1 ? '' : ` ${number}`})`;
    if (!names.has(label)) return label;
  }
}

function measuredLevels(plan: Plan, { name }: Factor): readonly string[] {
  return [...new Set(plan.variants.map(({ cell }) => String(cell[name])))];
}
