import { type Analysis, analyze } from '../../analysis/analysis.ts';
import type { Draft } from '../../draft/types.ts';
import type { CellLabels, Entry, RerunRecord, TrialEntry } from '../../journal/entry.ts';
import { relabel, rerunLabels } from '../relabel.ts';
import { type RunData, sortEntries } from '../run-data.ts';
import { type Matching, type MatchText, matchLevels, recordOf } from './match.ts';

/** A saved run as `compare` is given it. */
export interface RunInput {
  readonly entries: readonly Entry[];
  readonly draft: Draft;
  /** Hash of its journal's last line. */
  readonly head: string;
}

/** One run, its levels shown under the labels that both runs share. */
export interface Side {
  readonly name: 'before' | 'after';
  readonly head: string;
  readonly draft: Draft;
  readonly data: RunData;
  readonly analysis: Analysis;
}

/** Two runs brought under one set of labels. */
export interface Sides {
  readonly before: Side;
  readonly after: Side;
  readonly matching: Matching;
  /** Where `after` is a rerun of `before`. */
  readonly record: RerunRecord | null;
  /** Both are the same journal, so that their blocks pair. */
  readonly sameRun: boolean;
}

/** Brings two runs under one set of labels and analyses each. */
export function sidesOf(before: RunInput, after: RunInput, map: readonly MatchText[]): Sides {
  const [b, a] = [sortEntries(before.entries), sortEntries(after.entries)];
  const record = recordOf(b.run, a.run);
  const replaced = record === null ? null : (rerunLabels(after.entries)[0]?.to ?? null);
  const matching = matchLevels({ run: b.run, draft: before.draft }, { run: a.run, draft: after.draft }, map, replaced);
  return {
    before: side('before', before, matching.relabelBefore),
    after: side('after', after, matching.relabelAfter),
    matching,
    record,
    sameRun: before.head === after.head,
  };
}

function side(name: Side['name'], input: RunInput, labels: Matching['relabelBefore']): Side {
  const { entries, draft } = relabel(input, labels);
  return { name, head: input.head, draft, data: sortEntries(entries), analysis: analyze(entries, draft) };
}

/** The trials that count at a cell, whatever its within levels. */
export function trialsAt({ data, draft }: Side, cell: CellLabels): readonly TrialEntry[] {
  const names = draft.factors.filter(({ within }) => !within).map(({ name }) => name);
  return data.trials.filter(
    (trial) => trial.counted && trial.block > 0 && names.every((name) => trial.cell[name] === cell[name]),
  );
}
