import type { ControlResult } from '../control.ts';
import { groupPrefix } from './cgroup.ts';

/** What the controls put before the server's command line; it joins all groups in one step. */
export function joinedPrefix(results: readonly ControlResult[]): readonly string[] {
  const groups = results.flatMap(({ group }) => group ?? []);
  const first = results.findIndex(({ group }) => group !== undefined);
  return results.flatMap(({ group, prefix = [] }, index) => {
    if (group === undefined) return prefix;
    return index === first ? groupPrefix(groups) : [];
  });
}
