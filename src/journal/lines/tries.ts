import type { Entry } from '../entry.ts';

/**
 * Entries in which each trial counts once: where a later line holds a trial again, the trial was repeated, and the earlier line
 * does not count. Lines keep their numbers.
 */
export function withTries(entries: Entry[]): Entry[] {
  const last = new Map<string, number>();
  let isAgain = false;
  for (const [index, entry] of entries.entries()) {
    if (entry.type !== 'trial' || !entry.counted) continue;
    isAgain ||= last.has(entry.trialId);
    last.set(entry.trialId, index);
  }
  if (!isAgain) return entries;
  const taken = new Set(entries.flatMap((entry) => (entry.type === 'trial' ? entry.trialId : [])));
  return entries.map((entry, index) => {
    if (entry.type !== 'trial' || !entry.counted || last.get(entry.trialId) === index) return entry;
    let attempt = entry.attempt ?? 1;
    while (taken.has(`${entry.trialId}.try${attempt}`)) attempt += 1;
    const trialId = `${entry.trialId}.try${attempt}`;
    taken.add(trialId);
    return { ...entry, trialId, counted: false, attempt };
  });
}
