import type { CellLabels, Entry, JsonValue } from '../../journal/entry.ts';

/** What the run meant to measure, as far as its entry says so. */
export interface Planned {
  /** Between cells with the within cells tried in each. */
  readonly variants: readonly { readonly cell: CellLabels; readonly withinCells: readonly CellLabels[] }[];
  readonly excluded: readonly { readonly cell: CellLabels; readonly reason: string }[];
}

/** Reads the plan that the journal's first entry holds; what is missing or of another shape is simply not known. */
export function plannedCells(entries: readonly Entry[]): Planned {
  const run = entries.find((entry) => entry.type === 'run');
  const plan = run && isRecord(run.plan) ? run.plan : {};
  return {
    variants: listOf(plan.variants).flatMap((variant) =>
      isRecord(variant) && isRecord(variant.cell)
        ? [
            {
              cell: variant.cell as CellLabels,
              withinCells: listOf(variant.withinCells).filter(isRecord) as CellLabels[],
            },
          ]
        : [],
    ),
    excluded: listOf(plan.excluded).flatMap((one) =>
      isRecord(one) && isRecord(one.cell) && typeof one.reason === 'string'
        ? [{ cell: one.cell as CellLabels, reason: one.reason }]
        : [],
    ),
  };
}

function isRecord(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}
