import type { TrialEntry } from '../../journal/entry.ts';

/** A variant, and another that must be measured beside it. */
export type Partner = readonly [id: string, beside: string];

export interface OriginRequest {
  readonly blocks: readonly number[];
  /** What could be kept, by variant and block, newest first; each says where it was measured first. */
  readonly candidates: ReadonlyMap<string, ReadonlyMap<number, readonly TrialEntry[]>>;
  /** Each variant with its baseline. */
  readonly baselines: readonly Partner[];
  /** Keeps a baseline although what is compared with it is measured now. */
  readonly keepBaseline: boolean;
  /** Both directions of each pair of a duet. */
  readonly duets: readonly Partner[];
  /** Whether the run's own journal holds the trial. */
  readonly isOwn: (id: string, block: number) => boolean;
}

/** The trials to keep, by variant and block. */
export type Chosen = ReadonlyMap<string, ReadonlyMap<number, TrialEntry>>;

/**
 * Chooses between trials of several previous runs. Two trials pair where they come from the same block of the same run, so that in each block
 * a baseline comes from the run that most of what is compared with it can come from, and the halves of a duet come from one run. A baseline
 * or a half whose partner has to be measured now is measured again beside it.
 */
export function chooseOrigins(request: OriginRequest): Chosen {
  const chosen = new Map([...request.candidates.keys()].map((id) => [id, new Map<number, TrialEntry>()]));
  for (const block of request.blocks) {
    for (const [id, trial] of chooseBlock(request, block)) chosen.get(id)!.set(block, trial);
  }
  return chosen;
}

/** Where a trial was measured: trials of one block pair where this is the same. */
export function originOf({ reused, machine }: TrialEntry): string {
  return `${reused?.runId ?? ''} ${machine ?? ''}`;
}

function chooseBlock(request: OriginRequest, block: number): ReadonlyMap<string, TrialEntry> {
  const { candidates, baselines, duets } = request;
  const pool = new Map([...candidates].map(([id, byBlock]) => [id, byBlock.get(block) ?? []]));
  for (const [id, beside] of duets)
    pool.set(
      id,
      pool.get(id)!.filter((trial) => ofOrigin(pool.get(beside)!, trial)),
    );
  const chosen = new Map([...pool].flatMap(([id, [newest]]) => (newest === undefined ? [] : [[id, newest] as const])));
  for (const baseline of new Set(baselines.map(([, beside]) => beside))) {
    const dependents = baselines.flatMap(([id, beside]) => (beside === baseline ? [pool.get(id)!] : []));
    const pairs = (trial: TrialEntry) => dependents.filter((trials) => ofOrigin(trials, trial) !== undefined).length;
    const best = pool
      .get(baseline)!
      .reduce<TrialEntry | null>((a, b) => (a === null || pairs(b) > pairs(a) ? b : a), null);
    if (best === null) continue;
    chosen.set(baseline, best);
    for (const [id, beside] of baselines) {
      const match = beside === baseline ? ofOrigin(pool.get(id)!, best) : undefined;
      if (match !== undefined) chosen.set(id, match);
    }
  }
  for (const [id, beside] of duets) {
    const match = chosen.has(id) ? ofOrigin(pool.get(beside)!, chosen.get(id)!) : undefined;
    if (match !== undefined) chosen.set(beside, match);
  }
  dropAlone(request, block, chosen);
  return chosen;
}

function ofOrigin(trials: readonly TrialEntry[], wanted: TrialEntry): TrialEntry | undefined {
  return trials.find((trial) => originOf(trial) === originOf(wanted));
}

/** What must be measured again since its partner is measured now; that may reach further partners. */
function dropAlone(
  { baselines, keepBaseline, duets, isOwn }: OriginRequest,
  block: number,
  chosen: Map<string, TrialEntry>,
): void {
  const partners = [...(keepBaseline ? [] : baselines), ...duets];
  for (;;) {
    const alone = partners.find(([id, beside]) => !chosen.has(id) && !isOwn(id, block) && chosen.has(beside));
    if (alone === undefined) return;
    chosen.delete(alone[1]);
  }
}
