import { placeOfWords } from '../lib/source-location.ts';
import type { Variant } from '../plan/plan.ts';
import { canonicalOptions, checkOptions } from '../server/settings.ts';
import type { LevelValues, Study } from '../study/study.ts';
import type { Cell, Measurement, Setup } from '../study/types.ts';
import type { Stage } from './trial/trial-request.ts';

/** What a variant needs, and what is measured at each of its within cells, as the study says for its values. */
export interface ResolvedVariant {
  readonly variant: Variant;
  readonly setup: Setup;
  /** Stages for the within cells in the given order. */
  stages(withinOrder: readonly Cell[]): readonly Stage[];
}

/** @throws BenchbookError `study` where the study's own functions throw, or its options would run the server elsewhere. */
export function resolveVariant(study: Study, variant: Variant): ResolvedVariant {
  const between = valuesOf(study, variant.cell);
  const written = study.setup(between);
  const placeOf = (word: string) => placeOfWords(study.file, study.sourceText, ['setup', word]);
  checkOptions({ options: written.options ?? {}, env: written.env ?? {}, known: null, placeOf });
  const setup =
    written.options === undefined ? written : { ...written, options: canonicalOptions(written.options, placeOf) };
  return {
    variant,
    setup,
    stages: (withinOrder) => stagesOf(study, variant, withinOrder),
  };
}

function stagesOf(study: Study, variant: Variant, withinOrder: readonly Cell[]): readonly Stage[] {
  const [first] = withinOrder;
  if (first === undefined || Object.keys(first).length === 0) {
    const values = valuesOf(study, variant.cell);
    return [{ within: {}, cell: variant.cell, values, measurements: study.measurements(values) }];
  }
  const firstCell = { ...variant.cell, ...first };
  const values = valuesOf(study, firstCell);
  const once = split(study.measurements(values), true);
  const stages = withinOrder.map((within) => {
    const cell = { ...variant.cell, ...within };
    const here = valuesOf(study, cell);
    return { within, cell, values: here, measurements: split(study.measurements(here), false) };
  });
  return Object.keys(once).length === 0
    ? stages
    : [{ within: {}, cell: firstCell, values, measurements: once }, ...stages];
}

function split(measurements: Readonly<Record<string, Measurement>>, once: boolean): Record<string, Measurement> {
  return Object.fromEntries(
    Object.entries(measurements).filter(([, { oncePerTrial }]) => (oncePerTrial ?? false) === once),
  );
}

/** The values of a cell's labels, by factor name. */
function valuesOf(study: Study, cell: Cell): LevelValues {
  const values: Record<string, unknown> = {};
  for (const { name, levels } of study.factors) {
    if (cell[name] === undefined) continue;
    values[name] = levels.find(({ label }) => label === cell[name])!.value;
  }
  return values;
}
