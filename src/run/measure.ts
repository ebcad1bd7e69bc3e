import { BenchbookError } from '../errors.ts';
import type { TrialEntry } from '../journal/entry.ts';
import { blockOf, type PlannedTrial } from '../plan/order.ts';
import type { Build } from '../server/build.ts';
import type { Study } from '../study/study.ts';
import { resolveBuilds, serverEntry } from './builds.ts';
import { keepTrial, progressOf, type Session } from './session.ts';
import { type Limits, runTrial, type Stage } from './trial.ts';
import { type ResolvedVariant, resolveVariant } from './variants.ts';

const LIMITS: Limits = { startSeconds: 120, measurementSeconds: 3600, trialSeconds: 4 * 3600 };

type Place = Omit<PlannedTrial, 'withinOrder'>;

/**
 * Everything that the plan wants and the session's journal does not hold: builds, the excluded first start of each, then block by block.
 *
 * @throws BenchbookError where no server can be had, the journal cannot be written, or `interrupted`.
 */
export async function measureMissing(session: Session, study: Study): Promise<void> {
  const { plan, journal, roots, effects, report, preparation } = session;
  const variants = new Map(plan.variants.map((variant) => [variant.id, resolveVariant(study, variant)]));
  const sources = [...variants.values()].map(({ setup }) => setup.server);
  const buildOf = await resolveBuilds(sources, effects, preparation, report);
  const known = new Set(journal.entries.flatMap((entry) => (entry.type === 'server' ? [entry.buildId] : [])));
  for (const variant of variants.values()) {
    const result = buildOf(variant.setup.server);
    if ('error' in result) continue;
    if (!known.has(result.build.id))
      await journal.append(serverEntry(result.build, roots, effects.now().toISOString()));
    known.add(result.build.id);
    await firstStart(session, variant, result.build);
  }
  for (let block = 1; block <= plan.replicates.max; block += 1) {
    const missing = blockOf(plan, block).filter(({ trialId }) => !session.trials.has(trialId));
    if (missing.length === 0) continue;
    report({ type: 'block started', block, lastBlock: plan.replicates.max, ...progressOf(session) });
    for (const planned of missing) {
      const variant = variants.get(planned.variant.id)!;
      const result = buildOf(variant.setup.server);
      if ('error' in result) await keepTrial(session, withoutServer(session, planned, result.error));
      else await measure(session, planned, variant, result.build, variant.stages(planned.withinOrder));
    }
  }
}

/** What a build does on its very first start (caches of the kernel, of the loader) is kept apart from what is measured. */
async function firstStart(session: Session, variant: ResolvedVariant, build: Build): Promise<void> {
  const planned = { trialId: `b000-${build.id}`, variant: variant.variant, block: 0, position: 1 };
  if (!session.trials.has(planned.trialId)) await measure(session, planned, variant, build, []);
}

async function measure(
  session: Session,
  planned: Place,
  variant: ResolvedVariant,
  build: Build,
  stages: readonly Stage[],
): Promise<void> {
  const { journal, preparation, roots, trialsDirectory, effects, report } = session;
  if (preparation.signal.aborted) throw new BenchbookError('interrupted', 'interrupted between two trials');
  const { trialId, block, position } = planned;
  const of = { trialId, cell: planned.variant.cell, block, position };
  report({ type: 'trial started', ...of, ...progressOf(session) });
  const entry = await runTrial({
    planned,
    counted: block > 0,
    build,
    setup: variant.setup,
    stages,
    limits: LIMITS,
    prefix: [],
    trialsDirectory,
    roots,
    effects,
    preparation,
    putArtefact: (name, text) => journal.putArtefact(name, text),
    phase: (phase) => report({ type: 'trial phase', phase, ...of }),
  });
  await keepTrial(session, entry);
}

function withoutServer(session: Session, planned: PlannedTrial, error: BenchbookError): TrialEntry {
  return {
    type: 'trial',
    trialId: planned.trialId,
    variantId: planned.variant.id,
    cell: planned.variant.cell,
    block: planned.block,
    position: planned.position,
    startedAt: session.effects.now().toISOString(),
    durationSeconds: 0,
    counted: true,
    outcome: 'skipped',
    reason: `there is no server for it: ${error.message}`,
    samples: [],
    cautions: [],
    artefacts: [],
  };
}
