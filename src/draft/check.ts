import { z } from 'zod';
import type { Draft } from './types.ts';

const primitive = z.union([z.string(), z.number(), z.boolean()]);
const cell = z.record(z.string(), primitive);
const place = z.looseObject({ file: z.string() });

const expression = z.discriminatedUnion('op', [
  z.looseObject({ op: z.literal('stat'), metric: z.string(), at: cell, statistic: z.string() }),
  z.looseObject({ op: z.literal('ratio'), metric: z.string(), numerator: cell, denominator: cell }),
  z.looseObject({ op: z.literal('difference'), metric: z.string(), minuend: cell, subtrahend: cell }),
  z.looseObject({ op: z.literal('slope'), metric: z.string(), over: z.string(), at: cell }),
  z.looseObject({
    op: z.literal('effect'),
    metric: z.string(),
    factor: z.string(),
    level: primitive,
    against: primitive,
    where: cell,
  }),
  z.looseObject({ op: z.literal('outcome'), outcome: z.string(), as: z.enum(['count', 'share']), at: cell }),
]);

const check: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('op', [
    z.looseObject({ op: z.literal('below'), of: expression, limit: z.number() }),
    z.looseObject({ op: z.literal('above'), of: expression, limit: z.number() }),
    z.looseObject({ op: z.literal('between'), of: expression, low: z.number(), high: z.number() }),
    z.looseObject({ op: z.literal('equivalentTo'), of: expression, value: z.number(), within: z.number() }),
    z.looseObject({ op: z.literal('and'), checks: z.array(check) }),
    z.looseObject({ op: z.literal('or'), checks: z.array(check) }),
    z.looseObject({ op: z.literal('not'), check }),
  ]),
);

const reference = z.looseObject({ op: z.literal('reference'), id: z.string() });
const parts = z.array(z.union([z.string(), reference, expression]));
const title = parts.optional();

const block: z.ZodType = z.lazy(() =>
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('prose'), parts }),
    z.looseObject({
      type: z.literal('figure'),
      kind: z.string(),
      where: cell,
      title,
      caption: title,
      headline: z.literal(true).optional(),
      code: z.string(),
    }),
    z.looseObject({ type: z.literal('table'), metrics: z.array(z.string()), where: cell, title }),
    z.looseObject({
      type: z.literal('claim'),
      id: z.string(),
      sentence: z.string(),
      check,
      expression: z.string(),
      kind: z.enum(['property', 'defect']),
      place,
    }),
    z.looseObject({ type: z.literal('callout'), kind: z.enum(['note', 'caution']), title: z.string(), parts }),
    z.looseObject({ type: z.literal('code'), language: z.string(), title: z.string().optional(), text: z.string() }),
    z.looseObject({ type: z.literal('details'), summary: z.string(), blocks }),
    z.looseObject({ type: z.literal('part'), title: z.string(), needs: z.array(cell), blocks }),
    z.looseObject({ type: z.literal('tabs'), tabs: z.array(z.looseObject({ title: z.string(), blocks })) }),
  ]),
);
const blocks: z.ZodType = z.lazy(() => z.array(block));

const shape = z.looseObject({
  title: z.string(),
  tickets: z.array(z.string()),
  factors: z.array(
    z.looseObject({
      name: z.string(),
      within: z.boolean(),
      labels: z.array(primitive),
      numeric: z.array(z.number()).nullable(),
    }),
  ),
  baseline: cell,
  metrics: z.record(
    z.string(),
    z.looseObject({
      unit: z.enum(['B', 's', '1', '1/s', 'B/s']),
      better: z.enum(['lower', 'higher', 'neither']),
      title: z.string().optional(),
    }),
  ),
  measurements: z.record(z.string(), z.looseObject({ kind: z.string() })),
  replicates: z.looseObject({ min: z.number(), max: z.number() }),
  threshold: z.number(),
  blocks,
  source: z.looseObject({ file: z.string(), text: z.string() }),
});

/**
 * A draft that was read from a file, checked for its shape.
 *
 * @throws Error with the first thing that is wrong, in words that follow "the draft is malformed: "
 */
export function checkDraft(value: unknown): Draft {
  const checked = shape.safeParse(value);
  // The value as it was read, not zod's copy.
  if (checked.success) return value as Draft;
  const issue = checked.error.issues[0]!;
  const where = issue.path.map(String).join('.');
  throw new Error(`${issue.message}${where === '' ? '' : ` at ${where}`}`);
}
