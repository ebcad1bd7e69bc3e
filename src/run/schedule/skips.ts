import type { TrialEntry } from '../../journal/entry.ts';
import { count } from '../../lib/units.ts';
import type { PlannedTrial } from '../../plan/order.ts';
import { missingEngine } from '../../server/engine.ts';
import { keyOf } from '../reuse/keys.ts';
import type { ResolvedVariant } from '../variants.ts';
import type { BuildResult } from './builds.ts';
import type { Session } from './session.ts';

/** A variant with its server, or why it has none. */
export interface ReadyVariant {
  readonly variant: ResolvedVariant;
  readonly result: BuildResult;
}

export type ReadyVariants = ReadonlyMap<string, ReadyVariant>;

/** How the reason of a trial begins that had no server. */
export const NO_SERVER = 'there is no server for it';

const GIVEN_UP = 'given up after';

/** Whether a trial was left out since the build or this machine lacks what it asks for: that is an answer, and no fault of the run. */
export function isLacking({ outcome, reason = '' }: Pick<TrialEntry, 'outcome' | 'reason'>): boolean {
  return outcome === 'skipped' && !reason.includes(NO_SERVER) && !reason.includes(GIVEN_UP);
}

/** Why no trial of a variant can be measured: it has no server, or the server lacks the engine; null where it has all. */
export function reasonNoTrial({ variant, result }: ReadyVariant): string | null {
  if ('error' in result) return `${NO_SERVER}: ${result.error.message}`;
  const { engine } = variant.setup;
  return engine === undefined ? null : missingEngine(result.build, engine);
}

/** Why a trial cannot be measured, or need not be tried; null where it is to be measured. */
export function reasonToSkip(
  session: Session,
  planned: PlannedTrial,
  { variant, result }: ReadyVariant,
): string | null {
  const lacking = reasonNoTrial({ variant, result });
  if (lacking !== null) return lacking;
  const { giveUpAfter } = session.plan.policy;
  const failed = session.failures.get(planned.variant.id);
  if (failed?.certain) return `${GIVEN_UP} its first start, which fails whenever it is tried: ${failed.reason}`;
  if (failed === undefined || failed.count < giveUpAfter) return null;
  return `${GIVEN_UP} ${count(failed.count, 'trial')} of this variant in a row that did not end ok, the last one: ${failed.reason}`;
}

/** The entry of a trial that is not measured. */
export function skippedEntry(session: Session, planned: PlannedTrial, reason: string): TrialEntry {
  const { trialId, variant, block, position } = planned;
  const inputs = session.inputs.get(variant.id);
  return {
    type: 'trial',
    trialId,
    variantId: variant.id,
    cell: variant.cell,
    block,
    position,
    startedAt: session.effects.now().toISOString(),
    durationSeconds: 0,
    counted: block > 0,
    outcome: 'skipped',
    reason,
    samples: [],
    cautions: [],
    artefacts: [],
    ...(inputs && block > 0 ? { key: keyOf(inputs) } : {}),
  };
}
