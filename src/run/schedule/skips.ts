import type { ReasonCode, TrialEntry } from '../../journal/entry.ts';
import type { PlannedTrial } from '../../plan/order.ts';
import { missingEngine } from '../../server/resolve.ts';
import { givenUpText } from '../events.ts';
import { keyOf } from '../reuse/keys.ts';
import type { ResolvedVariant } from '../variants.ts';
import type { BuildResult } from './builds.ts';
import { NO_SERVER } from './reason-code.ts';
import type { Session } from './session.ts';

/** A variant with its server, or why it has none. */
export interface ReadyVariant {
  readonly variant: ResolvedVariant;
  readonly result: BuildResult;
}

export type ReadyVariants = ReadonlyMap<string, ReadyVariant>;

/** Why a trial is not measured: for programs, and as a sentence. */
export interface Skip {
  readonly code: ReasonCode;
  readonly reason: string;
  readonly givenUpAfter?: number;
}

/** Why no trial of a variant can be measured: it has no server, or the server lacks the engine; null where it has all. */
export function unmeasurable({ variant, result }: ReadyVariant): Skip | null {
  if ('error' in result) return { code: 'no-server', reason: `${NO_SERVER}: ${result.error.message}` };
  const { engine } = variant.setup;
  const reason = engine === undefined ? null : missingEngine(result.build, engine);
  return reason === null ? null : { code: 'unsupported', reason };
}

/** Why a trial cannot be measured, or need not be tried; null where it is to be measured. */
export function skipOf(session: Session, planned: PlannedTrial, ready: ReadyVariant): Skip | null {
  const found = unmeasurable(ready);
  if (found !== null) return found;
  const { giveUpAfter } = session.plan.policy;
  const failed = session.failures.get(planned.variant.id);
  if (failed?.certain) {
    const reason = `given up after its first start, which fails whenever it is tried: ${failed.reason}`;
    return { code: 'given-up', reason };
  }
  if (failed === undefined || failed.count < giveUpAfter) return null;
  const reason = `${givenUpText(failed.count)}, the last one: ${failed.reason}`;
  return { code: 'given-up', reason, givenUpAfter: failed.count };
}

/** Why the other half of a duet is not measured either. */
export function partnerSkip({ code, reason }: Skip): Skip {
  return {
    code: code === 'no-server' ? 'partner-without-server' : code,
    reason: `its partner in the duet is skipped: ${reason}`,
  };
}

/** The entry of a trial that is not measured. */
export function skippedEntry(
  session: Session,
  planned: PlannedTrial,
  { code, reason, givenUpAfter }: Skip,
): TrialEntry {
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
    reasonCode: code,
    ...(givenUpAfter === undefined ? {} : { givenUpAfter }),
    samples: [],
    cautions: [],
    artefacts: [],
    ...(inputs && block > 0 ? { key: keyOf(inputs) } : {}),
  };
}
