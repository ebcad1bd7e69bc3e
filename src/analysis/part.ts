import type { RunEntry } from '../journal/entry.ts';

/** What part of its study a run measured, in words; null where it is the whole of it. */
export function partOf({ command, shard }: Pick<RunEntry, 'command' | 'shard'>): string | null {
  const only = /^npx benchbook run .* --only (.+?)(?= --|$)/.exec(command)?.[1];
  const parts = [
    ...(only === undefined ? [] : [`only ${only}`]),
    ...(shard === undefined ? [] : [`shard ${shard.index} of ${shard.count}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}
