import { BenchbookError } from '../../lib/errors.ts';
import { agree, count } from '../../lib/units.ts';
import type { Block, ClaimResult, Document, Inline, Table } from '../../report/document.ts';
import { anchorsOf } from '../prose/anchors.ts';
import { lineTree, proseTree } from '../prose/prose.ts';
import type { InlineNode, ProseNode } from '../prose/prose-tree.ts';
import { dataFileNames } from '../tables/data-files.ts';
import { type SetTable, setTable } from '../tables/tables.ts';

/** What a text format knows how to say; `T` is what it is made of (lines of text, or nodes of JSON). */
export interface Dialect<T> {
  readonly heading: (level: number, text: readonly InlineNode[]) => T;
  readonly paragraph: (line: readonly InlineNode[]) => T;
  readonly prose: (nodes: readonly ProseNode[]) => readonly T[];
  /** `file` is the picture's name without ending, below `figures/`. */
  readonly picture: (file: string, alt: string) => T;
  readonly table: (table: SetTable) => T;
  readonly bullets: (items: readonly (readonly InlineNode[])[]) => T;
  readonly callout: (kind: 'note' | 'caution' | 'failure', title: string, body: readonly ProseNode[]) => T;
  readonly code: (language: string, text: string, title: string | null) => T;
  readonly rule: () => T;
}

export interface FlowOptions {
  /** Rows shown of a raw table; the rest is in the CSV file named under it. */
  readonly denseRows: number;
  readonly appendices: boolean;
}

/**
 * Set the document in a format that is a plain flow of blocks (Markdown, Jira): what HTML folds is set in full, computed
 * numbers keep their text, and numbers of figures and tables are those of every other format.
 */
export function flow<T>(document: Document, dialect: Dialect<T>, options: FlowOptions): readonly T[] {
  const anchors = anchorsOf(document);
  const context: Context<T> = {
    document,
    dialect,
    options,
    files: dataFileNames(document.tables),
    label: (id) => anchors.get(id) ?? null,
  };
  const verdicts = document.summary.map((bullet) => [
    ...(bullet.verdict ? strong(`${bullet.label ?? title(bullet.verdict)}. `) : []),
    ...lineTree(bullet.content, context.label),
  ]);
  const { verdict, doubts, glance, lead } = document;
  const facts = glance.map((item) => [...strong(`${item.term}: `), item.code ? code(item.text) : text(item.text)]);
  return [
    dialect.paragraph([text([...document.byline, document.date].join(' · '))]),
    ...(document.tickets.length > 0 ? [dialect.paragraph([text(`Tickets: ${document.tickets.join(', ')}`)])] : []),
    ...verdict.map((sentence) => dialect.paragraph(lineTree(sentence, context.label))),
    ...(doubts.length > 0 ? [dialect.bullets(doubts.map((sentence) => lineTree(sentence, context.label)))] : []),
    ...(facts.length > 0 ? [dialect.bullets(facts)] : []),
    ...(lead === null ? [] : blockOf(lead, context)),
    ...(verdicts.length > 0 ? [dialect.bullets(verdicts)] : []),
    ...document.sections.flatMap((block) => blockOf(block, context)),
    ...(options.appendices && document.appendices.length > 0
      ? [dialect.rule(), ...document.appendices.flatMap((block) => blockOf(block, context))]
      : []),
  ];
}

interface Context<T> {
  readonly document: Document;
  readonly dialect: Dialect<T>;
  readonly options: FlowOptions;
  readonly files: ReadonlyMap<string, string>;
  readonly label: (id: string) => string | null;
}

function blockOf<T>(block: Block, context: Context<T>): readonly T[] {
  const { dialect, label } = context;
  switch (block.type) {
    case 'heading':
      return [dialect.heading(block.level, [text(block.text)])];
    case 'prose':
      return dialect.prose(proseTree(block.content, label));
    case 'figure':
      return [
        dialect.paragraph(numbered(`Figure ${block.number}.`, block.title, context)),
        dialect.picture(`figure-${block.number}`, block.alt),
        ...(block.caption.length > 0 ? [dialect.paragraph(lineTree(block.caption, label))] : []),
        dialect.paragraph([{ type: 'emphasis', children: [text([block.sourceLine, ...block.notes].join(' · '))] }]),
      ];
    case 'table':
      return tableOf(block, context);
    case 'claims':
      return [dialect.bullets(block.claims.map(claimLine))];
    case 'callout':
      return [dialect.callout(block.kind, block.title, proseTree(block.content, label))];
    case 'code':
      return [dialect.code(block.language, block.text, block.title ?? null)];
    case 'facts':
      return [
        dialect.bullets(
          block.items.map((item) => [...strong(`${item.term}: `), item.code ? code(item.text) : text(item.text)]),
        ),
      ];
    case 'details':
      if (block.printed !== undefined)
        return [dialect.paragraph([...strong(`${block.summary}. `), ...lineTree([block.printed], label)])];
      return [dialect.paragraph(strong(block.summary)), ...block.blocks.flatMap((inner) => blockOf(inner, context))];
    case 'tabs':
      return block.tabs.flatMap((tab) => [
        dialect.paragraph(strong(tab.title)),
        ...tab.blocks.flatMap((inner) => blockOf(inner, context)),
      ]);
  }
}

function tableOf<T>(block: Extract<Block, { type: 'table' }>, context: Context<T>): readonly T[] {
  const { dialect, options } = context;
  const table = tableNamed(context.document, block.table);
  const set = setTable(table, block.dense ? options.denseRows : Number.POSITIVE_INFINITY);
  const rest =
    set.omitted > 0
      ? [
          `${set.omitted} of ${count(table.rows.length, 'row')} ${agree(set.omitted, 'is', 'are')} left out; all are in data/${context.files.get(table.name)}.csv.`,
        ]
      : [];
  const caption = block.caption ? [dialect.paragraph(lineTree(block.caption, context.label))] : [];
  const notes = [...block.notes, ...rest].map((note) =>
    dialect.paragraph([{ type: 'emphasis', children: [text(note)] }]),
  );
  const heading = block.number === undefined ? '' : `Table ${block.number}.`;
  const fixed = set.fixed === '' ? [] : [` (${set.fixed})`];
  return [
    dialect.paragraph(numbered(heading, [...block.title, ...fixed], context)),
    ...caption,
    dialect.table(set),
    ...notes,
  ];
}

/** The table of a document by name. @throws BenchbookError `render` where there is none. */
export function tableNamed(document: Document, name: string): Table {
  const table = Object.hasOwn(document.tables, name) ? document.tables[name] : undefined;
  if (!table) throw new BenchbookError('render', `The report asks for the table "${name}", which it does not have.`);
  return table;
}

function claimLine(claim: ClaimResult): readonly InlineNode[] {
  const values = claim.values.flatMap((value, index): InlineNode[] => [
    text(index === 0 ? ' ' : ', '),
    { type: 'value', value },
    text(` (${[value.interval, `n = ${value.n}`].filter(Boolean).join(', ')}; ${value.filter})`),
  ]);
  return [
    ...strong(`${claim.label ?? title(claim.verdict)}. `),
    text(`${asSentence(claim.sentence)} ${asSentence(claim.why)}`),
    ...values,
    text(' '),
    code(claim.expression),
  ];
}

function numbered<T>(number: string, heading: Inline, context: Context<T>): readonly InlineNode[] {
  return [{ type: 'strong', children: [text(number === '' ? '' : `${number} `), ...lineTree(heading, context.label)] }];
}

function strong(words: string): InlineNode[] {
  return [{ type: 'strong', children: [text(words)] }];
}

function text(words: string): InlineNode {
  return { type: 'text', text: words };
}

function code(words: string): InlineNode {
  return { type: 'code', text: words };
}

/** Text as a sentence: a capital first, a full stop last. */
export function asSentence(words: string): string {
  const trimmed = words.trim();
  if (trimmed === '') return '';
  return `${trimmed[0]!.toUpperCase()}${trimmed.slice(1)}${/[.!?…]$/.test(trimmed) ? '' : '.'}`;
}

function title(word: string): string {
  return word[0]!.toUpperCase() + word.slice(1);
}
