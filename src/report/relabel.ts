import escapeRegExp from 'escape-string-regexp';
import type { Draft, DraftBlock, Parts } from '../draft/types.ts';
import type { CellLabels, Entry, JsonValue } from '../journal/entry.ts';
import type { Check, Expression } from '../study/expression.ts';
import type { Primitive } from '../study/types.ts';
import { versionAt } from './versions.ts';

/** A level shown under another label, everywhere: cells, expressions, prose. */
export interface Relabelling {
  readonly factor: string;
  readonly from: Primitive;
  readonly to: string;
}

export interface Relabelled {
  readonly entries: readonly Entry[];
  readonly draft: Draft;
}

/** The run with levels shown under other labels: a replaced level keeps its id in the journal and is shown as "10.5 → 11.8.9". */
export function relabel(run: Relabelled, labels: readonly Relabelling[]): Relabelled {
  if (labels.length === 0) return run;
  const cell = cellWith(labels);
  return { entries: run.entries.map((entry) => entryWith(entry, cell)), draft: draftWith(run.draft, labels, cell) };
}

/** How the replaced level of a rerun is shown: its id and the version that it stands for now; none where the run is no rerun. */
export function rerunLabels(entries: readonly Entry[]): readonly Relabelling[] {
  const run = entries[0];
  if (run?.type !== 'run' || run.rerun === undefined) return [];
  const { factor, level, source, control } = run.rerun;
  const version = versionAt(entries, factor, level);
  const old = control.is === level ? versionAt(entries, factor, control.level) : null;
  // Two builds of one version are distinguished by the source of the new one.
  const origin = version !== null && version === old ? ` (${sourceName(source)})` : '';
  return [{ factor, from: level, to: `${level} → ${version ?? source}${origin}` }];
}

/** "main+fix.patch" of "git:/src/server@main+patches/fix.patch", "trixie" of "debian:trixie". */
function sourceName(source: string): string {
  const rest = source.slice(source.indexOf(':') + 1);
  const end = source.startsWith('git:') ? rest.slice(rest.lastIndexOf('@') + 1) : rest;
  return end
    .split('+')
    .map((part) => part.slice(part.lastIndexOf('/') + 1))
    .join('+');
}

type CellMap = (cell: CellLabels) => CellLabels;

function cellWith(labels: readonly Relabelling[]): CellMap {
  return (cell) =>
    Object.fromEntries(
      Object.entries(cell).map(([name, label]) => [
        name,
        labels.find(({ factor, from }) => factor === name && from === label)?.to ?? label,
      ]),
    );
}

function entryWith(entry: Entry, cell: CellMap): Entry {
  if (entry.type === 'trial') {
    const samples = entry.samples.map((series) =>
      series.within === undefined ? series : { ...series, within: cell(series.within) },
    );
    return { ...entry, cell: cell(entry.cell), samples };
  }
  return entry.type === 'run' ? { ...entry, plan: planWith(entry.plan, cell) } : entry;
}

/** Variants and exclusions of the journaled plan; a plan of another shape stays as it is. */
function planWith(plan: JsonValue, cell: CellMap): JsonValue {
  const mapped = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(mapped);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]): [string, JsonValue] => {
        if (key === 'cell') return [key, cell(inner as CellLabels)];
        if (key === 'withinCells') return [key, (inner as readonly CellLabels[]).map(cell)];
        return [key, mapped(inner)];
      }),
    );
  };
  return mapped(plan);
}

function draftWith(draft: Draft, labels: readonly Relabelling[], cell: CellMap): Draft {
  return {
    ...draft,
    factors: draft.factors.map((factor) => ({
      ...factor,
      labels: factor.labels.map((label) => cell({ [factor.name]: label })[factor.name]!),
    })),
    baseline: cell(draft.baseline),
    ...(draft.verdict === undefined ? {} : { verdict: partsWith(draft.verdict, labels, cell) }),
    blocks: draft.blocks.map((block) => blockWith(block, labels, cell)),
  };
}

function blockWith(block: DraftBlock, labels: readonly Relabelling[], cell: CellMap): DraftBlock {
  const words = textWith(labels);
  const inner = (blocks: readonly DraftBlock[]) => blocks.map((each) => blockWith(each, labels, cell));
  const parts = (list: Parts): Parts => partsWith(list, labels, cell);
  switch (block.type) {
    case 'prose':
      return { ...block, parts: parts(block.parts) };
    case 'callout':
      return { ...block, title: words(block.title), parts: parts(block.parts) };
    case 'code':
      return block;
    case 'details':
      return { ...block, summary: words(block.summary), blocks: inner(block.blocks) };
    case 'part':
      return { ...block, title: words(block.title), needs: block.needs.map(cell), blocks: inner(block.blocks) };
    case 'tabs':
      return {
        ...block,
        tabs: block.tabs.map(({ title, blocks }) => ({ title: words(title), blocks: inner(blocks) })),
      };
    case 'figure':
    case 'table':
      return {
        ...block,
        where: cell(block.where),
        ...(block.title === undefined ? {} : { title: parts(block.title) }),
        ...(block.type === 'table' || block.caption === undefined ? {} : { caption: parts(block.caption) }),
      };
    case 'claim':
      return { ...block, sentence: words(block.sentence), check: checkWith(block.check, cell) };
  }
}

function partsWith(list: Parts, labels: readonly Relabelling[], cell: CellMap): Parts {
  const words = textWith(labels);
  return list.map((part) => {
    if (typeof part === 'string') return words(part);
    return part.op === 'reference' ? part : expressionWith(part, cell);
  });
}

function expressionWith(expression: Expression, cell: CellMap): Expression {
  switch (expression.op) {
    case 'ratio':
      return { ...expression, numerator: cell(expression.numerator), denominator: cell(expression.denominator) };
    case 'difference':
      return { ...expression, minuend: cell(expression.minuend), subtrahend: cell(expression.subtrahend) };
    case 'effect': {
      const label = (value: Primitive) => cell({ [expression.factor]: value })[expression.factor]!;
      return {
        ...expression,
        level: label(expression.level),
        against: label(expression.against),
        where: cell(expression.where),
      };
    }
    default:
      return { ...expression, at: cell(expression.at) };
  }
}

function checkWith(check: Check, cell: CellMap): Check {
  switch (check.op) {
    case 'and':
    case 'or':
      return { ...check, checks: check.checks.map((each) => checkWith(each, cell)) };
    case 'not':
      return { ...check, check: checkWith(check.check, cell) };
    default:
      return { ...check, of: expressionWith(check.of, cell) };
  }
}

/**
 * Labels in what the author wrote. A label with a digit in it (10.5, v2) can hardly mean anything else; one that is a
 * plain word (old, main) is changed only where it is set as code.
 */
function textWith(labels: readonly Relabelling[]): (text: string) => string {
  const patterns = labels.map(({ from, to }) => {
    const name = escapeRegExp(String(from));
    const pattern = /\d/.test(String(from)) ? `(?<![\\w.-])${name}(?![\\w-]|\\.\\w)` : `(?<=\`)${name}(?=\`)`;
    return { pattern: new RegExp(pattern, 'g'), to };
  });
  return (text) => patterns.reduce((done, { pattern, to }) => done.replace(pattern, () => to), text);
}
