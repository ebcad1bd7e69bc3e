import { flatFacts } from '../sections/facts.ts';
import type { Side, Sides } from './sides.ts';

export interface FactDifference {
  readonly fact: string;
  readonly before: string;
  readonly after: string;
}

/** Facts of the host class that differ: where there are any, times of the two runs cannot be compared. */
export function hostDifferences({ before, after, sameRun }: Sides): readonly FactDifference[] {
  const [old, now] = [classesOf(before), classesOf(after)];
  if (sameRun || (old.size === now.size && [...old].every((each) => now.has(each)))) return [];
  const found = differencesOf(before.data.hosts.at(-1)?.hostClass ?? null, after.data.hosts.at(-1)?.hostClass ?? null);
  if (found.length > 0) return found;
  return [{ fact: 'classes of host in one run', before: String(old.size), after: String(now.size) }];
}

/** A run merged from shards may hold several. */
function classesOf({ data }: Side): ReadonlySet<string> {
  return new Set(data.hosts.map(({ hostClass }) => JSON.stringify(hostClass)));
}

/** Leaves of two facts that differ, by path. */
export function differencesOf(
  before: Parameters<typeof flatFacts>[0],
  after: Parameters<typeof flatFacts>[0],
): readonly FactDifference[] {
  const [old, now] = [before, after].map(
    (facts) => new Map(flatFacts(facts, '').map(({ term, text }) => [term, text])),
  );
  const names = [...new Set([...old!.keys(), ...now!.keys()])];
  return names
    .map((fact) => ({ fact, before: old!.get(fact) ?? 'not known', after: now!.get(fact) ?? 'not known' }))
    .filter((each) => each.before !== each.after);
}
