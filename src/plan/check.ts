import { z } from 'zod';
import type { Plan } from './plan.ts';

const label = z.union([z.string(), z.number(), z.boolean()]);
const cell = z.record(z.string(), label);

const shape = z.looseObject({
  seed: z.number().optional(),
  profile: z.string().nullable().optional(),
  variants: z.array(z.looseObject({ id: z.string(), cell, withinCells: z.array(cell).optional() })).optional(),
  excluded: z.array(z.looseObject({ cell, reason: z.string() })).optional(),
  replicates: z.looseObject({ min: z.number(), max: z.number() }).optional(),
  order: z.string().optional(),
  policy: z.looseObject({}).optional(),
});

/**
 * Checks a plan that was read from a journal, so that a report can rely on the types of its values.
 *
 * @throws Error that names the first part that is not right
 */
export function checkPlan(value: unknown): Plan {
  const checked = shape.safeParse(value);
  if (checked.success) return value as Plan;
  const issue = checked.error.issues[0]!;
  throw new Error(`${issue.message} at ${issue.path.join('.') || 'its top'}`);
}
