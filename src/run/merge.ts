import { basename } from 'node:path';
import type { Entry, JsonValue, RunEntry, TrialEntry } from '../journal/entry.ts';
import { readJournal } from '../journal/read.ts';
import { verifyJournal } from '../journal/verify.ts';
import { openJournal } from '../journal/write.ts';
import { BenchbookError } from '../lib/errors.ts';
import type { Plan } from '../plan/plan.ts';
import { plain } from './reuse/keys.ts';
import { FIRST_REVISION } from './reuse/measuring-revision.ts';
import { bringArtefacts } from './reuse/previous-runs.ts';
import { isSameDraft } from './schedule/begin.ts';
import { trialsOf } from './schedule/session.ts';

export interface MergeRequest {
  /** Run folders, one for each machine or shard. */
  readonly runDirectories: readonly string[];
  /** A new folder for the whole. */
  readonly targetDirectory: string;
  readonly toolVersion: string;
  readonly command: string;
}

interface Part {
  readonly directory: string;
  /** Its machines: one, or those of a journal that was itself merged, by the name that they have there. */
  readonly machines: ReadonlyMap<string | undefined, string>;
  readonly run: RunEntry;
  readonly plan: Plan;
  readonly entries: readonly Entry[];
  readonly head: string;
}

/**
 * Joins the journals of one study from several machines into one. Each machine is a blocking factor: a block belongs to one
 * machine, so that what is compared within blocks is never compared across machines.
 *
 * @throws BenchbookError `usage` where the runs are not of one study, version, seed and number of blocks, or two hold the same
 *   trial; `journal` where one is damaged.
 */
export async function mergeRuns(
  request: MergeRequest,
): Promise<{ readonly trials: number; readonly complete: boolean }> {
  const parts = namedMachines(await Promise.all(request.runDirectories.map(readPart)));
  const [first] = parts;
  if (first === undefined || parts.length < 2) {
    throw new BenchbookError('usage', 'there is nothing to merge: name two run folders or more');
  }
  for (const part of parts) checkSame(first, part);
  checkDisjoint(parts);
  const plan = {
    ...first.plan,
    variants: unionBy(parts.flatMap((part) => part.plan.variants)),
    excluded: first.plan.excluded,
  };
  const journal = await openJournal(request.targetDirectory);
  try {
    if (journal.entries.length > 0) {
      throw new BenchbookError('usage', `${request.targetDirectory} holds a run already`, {
        hint: 'name a new folder',
      });
    }
    await journal.append(runEntry(request, parts, plan));
    const builds = new Set<string>();
    for (const part of parts) {
      const entries = part.entries.slice(1).flatMap((entry) => mergedEntry(entry, part, builds));
      const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial');
      const brought = trialsOf(await bringArtefacts(trials, [part.directory], journal));
      await journal.append(...entries.map((entry) => (entry.type === 'trial' ? brought.get(entry.trialId)! : entry)));
    }
    const trials = parts.flatMap(({ entries }) => entries.filter(isPlanned));
    const ok = trials.filter(({ outcome }) => outcome === 'ok').length;
    const complete = trials.length === plan.variants.length * plan.replicates.max;
    await journal.append({ type: 'end', at: latest(parts), trials: trials.length, ok, complete });
    return { trials: trials.length, complete };
  } finally {
    await journal.close();
  }
}

type ReadPart = Omit<Part, 'machines'>;

async function readPart(directory: string): Promise<ReadPart> {
  await verifyJournal(directory);
  const { entries, head } = await readJournal(directory);
  const run = entries[0] as RunEntry;
  return { directory, run, plan: run.plan as unknown as Plan, entries, head };
}

/** Numbers the machines through all parts: those of a part that was merged before stay apart. */
function namedMachines(parts: readonly ReadPart[]): readonly Part[] {
  let count = 0;
  return parts.map((part) => {
    const own = part.run.mergedFrom?.map(({ machine }) => machine) ?? [undefined];
    return { ...part, machines: new Map(own.map((machine) => [machine, `machine ${++count}`])) };
  });
}

function checkSame(first: Part, other: Part): void {
  const names = `${basename(first.directory)} and ${basename(other.directory)}`;
  const differ = (what: string) =>
    new BenchbookError('usage', `runs ${names} cannot be merged: they are of different ${what}`);
  if (first.run.studyId !== other.run.studyId) throw differ('studies');
  if (first.run.studyHash !== other.run.studyHash || !isSameDraft(first.run.draft, other.run.draft))
    throw differ('versions of the study');
  if (first.run.seed !== other.run.seed) throw differ('seeds');
  const revisionOf = ({ run }: Part) => run.measuringRevision ?? FIRST_REVISION;
  if (revisionOf(first) !== revisionOf(other)) throw differ('ways of measuring (Benchbook versions)');
  const rest = ({ variants: _, excluded: __, ...plan }: Plan) => plain(plan);
  if (!same(rest(first.plan), rest(other.plan))) throw differ('plans (profile, blocks, order or limits)');
}

function checkDisjoint(parts: readonly Part[]): void {
  const owners = new Map<string, Part>();
  for (const part of parts) {
    for (const { trialId } of part.entries.filter(isPlanned)) {
      const owner = owners.get(trialId);
      if (owner !== undefined) {
        throw new BenchbookError(
          'usage',
          `runs ${basename(owner.directory)} and ${basename(part.directory)} both hold trial ${trialId}: each block belongs to one machine`,
          { hint: 'run the shards with --shard 1/2, --shard 2/2 and the same --seed' },
        );
      }
      owners.set(trialId, part);
    }
  }
}

function isPlanned(entry: Entry): entry is TrialEntry {
  return entry.type === 'trial' && entry.counted;
}

function runEntry(
  { targetDirectory, toolVersion, command }: MergeRequest,
  parts: readonly Part[],
  plan: Plan,
): RunEntry {
  const { shard: _, ...first } = parts[0]!.run;
  return {
    ...first,
    toolVersion,
    command,
    runId: basename(targetDirectory),
    startedAt: parts.map(({ run }) => run.startedAt).sort()[0]!,
    plan: plain(plan),
    mergedFrom: parts.flatMap(mergedFrom),
  };
}

/** What a part was, or what it was itself merged from. */
function mergedFrom({ run, machines, head }: Part): NonNullable<RunEntry['mergedFrom']> {
  const { runId, shard } = run;
  if (run.mergedFrom !== undefined)
    return run.mergedFrom.map((each) => ({ ...each, machine: machines.get(each.machine)! }));
  return [{ machine: machines.get(undefined)!, runId, head, ...(shard === undefined ? {} : { shard }) }];
}

/** An entry as it stands in the whole: with its machine; the parts' ends and doubled servers are left out. */
function mergedEntry(entry: Entry, { machines }: Part, builds: Set<string>): Entry[] {
  const before = 'machine' in entry ? entry.machine : undefined;
  const machine = machines.get(before) ?? [...machines.values()][0]!;
  switch (entry.type) {
    case 'host':
    case 'canary':
      return [{ ...entry, machine }];
    case 'server': {
      const isNew = !builds.has(entry.buildId);
      builds.add(entry.buildId);
      return isNew ? [entry] : [];
    }
    case 'trial':
      // What is not counted has the same id on every machine.
      return [
        {
          ...entry,
          machine,
          ...(entry.counted ? {} : { trialId: `${withoutMachine(entry.trialId, before)} on ${machine}` }),
        },
      ];
    case 'note': {
      const text =
        before !== undefined && entry.text.startsWith(`${before}: `) ? entry.text.slice(before.length + 2) : entry.text;
      return [{ ...entry, machine, text: `${machine}: ${text}` }];
    }
    default:
      return [];
  }
}

function withoutMachine(trialId: string, machine: string | undefined): string {
  const end = ` on ${machine}`;
  return machine !== undefined && trialId.endsWith(end) ? trialId.slice(0, -end.length) : trialId;
}

function latest(parts: readonly Part[]): string {
  const times = parts.flatMap(({ entries }) =>
    entries.map((entry) => ('at' in entry ? String(entry.at) : entry.startedAt)),
  );
  return times.sort().at(-1)!;
}

function unionBy(variants: Plan['variants']): Plan['variants'] {
  return [...new Map(variants.map((variant) => [variant.id, variant])).values()];
}

function same(a: JsonValue, b: JsonValue): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
