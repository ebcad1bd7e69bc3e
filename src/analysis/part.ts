import type { RunEntry } from '../journal/entry.ts';

/** What part of its study a run measured, in words; null where it is the whole of it. */
export function partOf({ command, only, shard }: Pick<RunEntry, 'command' | 'only' | 'shard'>): string | null {
  const levels = only?.join(' ') ?? levelsIn(command);
  const parts = [
    ...(levels === undefined ? [] : [`only ${levels}`]),
    ...(shard === undefined ? [] : [`shard ${shard.index} of ${shard.count}`]),
  ];
  return parts.length === 0 ? null : parts.join(', ');
}

/** The levels that the command of a journal of an earlier version names. */
function levelsIn(command: string): string | undefined {
  return /^npx benchbook run .* --only (.+?)(?= --|$)/.exec(command)?.[1];
}
