import type { CellLabels, JsonValue } from '../../../journal/entry.ts';
import { cellKey } from '../../../lib/cell-key.ts';
import { escapeMarkdown } from '../../claims.ts';
import type { Block, CellValue, Table } from '../../document.ts';
import { flatFacts } from '../../sections/facts.ts';
import type { Part } from '../../sections/part.ts';
import { differencesOf, hostDifferences } from '../host.ts';
import { type Side, type Sides, trialsAt } from '../sides.ts';
import { listed, shortCells } from '../words.ts';
import { buildsTable } from './builds.ts';
import { type Found, variablesPart } from './variables.ts';

/** What differs between the runs, and, for the appendix, the effective variables that do. */
interface ChangedPart extends Part {
  readonly appendix: readonly Block[];
}

/** What differs between the runs: study, plan, builds, settings, measurements, host; and what is the same. */
export function changedPart(sides: Sides, leftOut: readonly string[]): ChangedPart {
  const cells = sharedBetweenCells(sides);
  const differing = rowsOf(sides).filter(([, before, after]) => before !== after);
  const same = rowsOf(sides).filter(([, before, after]) => before === after);
  const inputs = inputRows(sides, cells);
  const host = hostDifferences(sides);
  const changes: Table = {
    name: 'changes',
    columns: [
      { key: 'what', title: 'what', kind: 'text' },
      { key: 'before', title: 'before', kind: 'code' },
      { key: 'after', title: 'after', kind: 'code' },
    ],
    rows: [
      ...differing,
      ...inputs,
      ...host.map(({ fact, before, after }): CellValue[] => [`host: ${fact}`, before, after]),
    ],
  };
  const builds = buildsTable(sides, cells);
  const variables = variablesPart(sides, cells);
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: 'What changed', id: 'changed' },
    ...callouts(
      sides,
      host.map(({ fact }) => fact),
      leftOut,
    ),
    table(changes, 'What differs between the runs', 'changes'),
    { type: 'prose', content: [sameText(same, host.length === 0, sides)] },
    table(builds, 'Builds, by their own word and hash', 'builds-compared'),
    ...(variables === null
      ? []
      : [{ type: 'prose', content: [`${variables.summary}: [which](#variables-compared).`] } as const]),
  ];
  return { blocks, tables: [changes, builds, ...(variables?.tables ?? [])], appendix: variables?.blocks ?? [] };
}

/** What makes the whole comparison weaker stands before everything else. */
function callouts(
  { before, after, record, sameRun }: Sides,
  host: readonly string[],
  leftOut: readonly string[],
): Block[] {
  const blocks: Block[] = [];
  const add = (kind: 'note' | 'caution', title: string, text: string) =>
    blocks.push({ type: 'callout', kind, title, content: [escapeMarkdown(text)] });
  if (before.data.run.studyId !== after.data.run.studyId) {
    add(
      'caution',
      'Two studies',
      `${before.data.run.studyId} and ${after.data.run.studyId} are different studies; what they have in common by name is compared, and whether it means the same is for the reader to judge.`,
    );
  }
  if (host.length > 0) {
    const beside =
      record !== null && record.control.level !== record.control.is
        ? ' Ratios to the old build that was measured again beside the new one stand all the same.'
        : '';
    add(
      'caution',
      'Not comparable: another class of host',
      `The runs differ in ${listed(host)}. Samples of the one are not compared with samples of the other, and no claim is called fixed or regressed.${beside}`,
    );
  }
  if (sameRun) add('note', 'One run', 'Both sides are the same run.');
  if (leftOut.length > 0) add('note', 'Without a counterpart', leftOut.join(' '));
  return blocks;
}

type Row = readonly [string, string, string];

function rowsOf({ before, after }: Sides): Row[] {
  const of = (what: string, text: (side: Side) => string): Row => [what, text(before), text(after)];
  return [
    of('study', ({ data }) => data.run.studyId),
    of('text of the study (SHA-256)', ({ data }) => data.run.studyHash.slice(0, 16)),
    of('run', ({ data }) => data.run.runId),
    of('started', ({ data }) => data.run.startedAt.slice(0, 16).replace('T', ' ')),
    of('trials counted, ok', ({ data }) => {
      const counted = data.trials.filter((trial) => trial.counted && trial.block > 0);
      return `${counted.length}, ${counted.filter(({ outcome }) => outcome === 'ok').length}`;
    }),
    of('blocks', ({ data }) =>
      String(new Set(data.trials.map(({ block }) => block).filter((block) => block > 0)).size),
    ),
    of('seed', ({ data }) => String(data.run.seed)),
    of('profile', ({ data }) => data.run.profile ?? 'none'),
    of('threshold', ({ draft }) => `${Math.round(draft.threshold * 1000) / 10} %`),
    of('Benchbook', ({ data }) => data.run.toolVersion),
    of('measuring revision', ({ data }) => String(data.run.measuringRevision ?? 1)),
    of('measurements', ({ draft }) => Object.keys(draft.measurements).join(', ')),
  ];
}

function sameText(same: readonly Row[], hostIsSame: boolean, { after }: Sides): string {
  const parts = same.map(([what, value]) => `${what} ${value}`);
  const host = flatFacts(after.data.hosts.at(-1)?.hostClass ?? null, '').map(({ term, text }) => `${term} ${text}`);
  const machine = hostIsSame && host.length > 0 ? ` The class of host is the same: ${host.join(', ')}.` : '';
  return escapeMarkdown(`${parts.length > 0 ? `The same in both: ${parts.join('; ')}.` : ''}${machine}`);
}

/** Options, host requests and parameters of measurements that differ at the same cell, each once with its cells. */
function inputRows(sides: Sides, cells: readonly CellLabels[]): CellValue[][] {
  const label = shortCells(cells);
  const found = new Map<string, Found>();
  for (const cell of cells) {
    const [before, after] = [sides.before, sides.after].map((side) => inputsAt(side, cell));
    if (!before || !after) continue;
    for (const { fact, before: old, after: now } of differencesOf(before, after)) {
      const row = [fact, old, now] as const;
      const known = found.get(JSON.stringify(row)) ?? { row, at: [] };
      known.at.push(label(cell));
      found.set(JSON.stringify(row), known);
    }
  }
  return [...found.values()].map(({ row: [fact, old, now], at }) => [
    at.length === cells.length ? fact : `${fact} (${at.join('; ')})`,
    old,
    now,
  ]);
}

/** What decides the trials of a cell, without build and host, which have tables of their own; null where it was not recorded. */
function inputsAt(side: Side, cell: CellLabels): JsonValue | null {
  const key = trialsAt(side, cell).find((trial) => trial.key !== undefined)?.key;
  const inputs = side.data.trials.find((trial) => trial.key === key && trial.inputs !== undefined)?.inputs;
  if (key === undefined || typeof inputs !== 'object' || inputs === null || Array.isArray(inputs)) return null;
  const { setup, measurements, code } = inputs as Readonly<Record<string, JsonValue>>;
  return { setup: setup ?? null, measurements: JSON.stringify(measurements ?? null), code: code ?? null };
}

/** Cells of between factors that both runs have. */
export function sharedBetweenCells({ before, after }: Sides): readonly CellLabels[] {
  const of = (side: Side) =>
    new Map(side.data.trials.filter(({ counted }) => counted).map(({ cell }) => [cellKey(cell), cell]));
  const olds = of(before);
  return [...of(after)].filter(([key]) => olds.has(key)).map(([, cell]) => cell);
}

function table(of: Table, title: string, id: string): Extract<Block, { type: 'table' }> {
  return { type: 'table', id: `table-${id}`, title: [title], table: of.name, notes: [] };
}
