import type { Document } from '../../report/document.ts';
import type { InlineNode, ProseNode } from '../prose/prose-tree.ts';
import type { SetTable } from '../tables/tables.ts';
import { type Dialect, flow } from './flow.ts';

/** A node of the Atlassian Document Format, version 1. */
interface AdfNode {
  readonly type: string;
  readonly attrs?: Readonly<Record<string, unknown>>;
  readonly content?: readonly AdfNode[];
  readonly marks?: readonly { readonly type: string; readonly attrs?: Readonly<Record<string, unknown>> }[];
  readonly text?: string;
  readonly version?: number;
}

/** The report as ADF JSON for Jira Cloud; figures are named as attachments, since media nodes need ids of an upload. */
export function adfReport(document: Document): string {
  const content = flow(document, dialect, { denseRows: 20, appendices: false });
  const title = { type: 'heading', attrs: { level: 1 }, content: texts(document.title) };
  return `${JSON.stringify({ version: 1, type: 'doc', content: [title, ...content] })}\n`;
}

const dialect: Dialect<AdfNode> = {
  heading: (level, text) => ({ type: 'heading', attrs: { level }, content: line(text) }),
  paragraph: (text) => paragraph(line(text)),
  prose: (nodes) => nodes.map(prose),
  picture: (file, alt) => paragraph([...texts(`Attached as ${file}.png: `), ...texts(alt)]),
  table: (table) => grid(table),
  bullets: (items) => ({ type: 'bulletList', content: items.map((item) => listItem([paragraph(line(item))])) }),
  callout: (kind, title, body) => ({
    type: 'panel',
    attrs: { panelType: PANELS[kind] },
    content: [paragraph(texts(`${LABELS[kind]}: ${title}`, [{ type: 'strong' }])), ...body.map(prose).map(insidePanel)],
  }),
  code: (language, text, title) => ({
    type: 'codeBlock',
    attrs: { language },
    content: texts(title === null ? text : `${title}\n\n${text}`),
  }),
  rule: () => ({ type: 'rule' }),
};

const LABELS = { note: 'Note', caution: 'Caution', failure: 'Failure' } as const;
const PANELS = { note: 'info', caution: 'warning', failure: 'error' } as const;

function prose(node: ProseNode): AdfNode {
  switch (node.type) {
    case 'paragraph':
      return paragraph(line(node.children));
    case 'heading':
      return { type: 'heading', attrs: { level: Math.min(6, node.level + 3) }, content: line(node.children) };
    case 'list':
      return {
        type: node.ordered ? 'orderedList' : 'bulletList',
        content: node.items.map((item) => listItem(item.map(prose).map(insideList))),
      };
    case 'quote':
      return { type: 'blockquote', content: node.children.map(prose).map(insideList) };
    case 'code':
      return { type: 'codeBlock', attrs: { language: node.language }, content: texts(node.text) };
    case 'rule':
      return { type: 'rule' };
    case 'table':
      return table(node.rows.map((row) => row.map((cell) => line(cell))));
  }
}

/** The schema allows paragraphs, lists and code in lists and quotes, nothing else. */
function insideList(node: AdfNode): AdfNode {
  if (['paragraph', 'bulletList', 'orderedList', 'codeBlock'].includes(node.type)) return node;
  return paragraph(node.type === 'heading' ? (node.content ?? []) : texts(plain(node)));
}

function insidePanel(node: AdfNode): AdfNode {
  return ['paragraph', 'heading', 'bulletList', 'orderedList', 'codeBlock'].includes(node.type)
    ? node
    : paragraph(texts(plain(node)));
}

function plain(node: AdfNode): string {
  return node.text ?? (node.content ?? []).map(plain).join(' ');
}

function line(nodes: readonly InlineNode[], marks: AdfNode['marks'] = []): AdfNode[] {
  return nodes.flatMap((node): AdfNode[] => {
    switch (node.type) {
      case 'text':
        return texts(node.text, marks);
      case 'value':
        return texts(node.value.text, marks);
      case 'code':
        // The schema lets code combine with links alone.
        return texts(node.text, [...(marks ?? []).filter((mark) => mark.type === 'link'), { type: 'code' }]);
      case 'break':
        return [{ type: 'hardBreak' }];
      case 'link':
        return line(
          node.children,
          node.href.startsWith('#') ? marks : [...(marks ?? []), { type: 'link', attrs: { href: node.href } }],
        );
      default:
        return line(node.children, [...(marks ?? []), { type: MARKS[node.type] }]);
    }
  });
}

const MARKS = { strong: 'strong', emphasis: 'em', strike: 'strike' } as const;

/** Text nodes must not be empty. */
function texts(text: string, marks: AdfNode['marks'] = []): AdfNode[] {
  return text === '' ? [] : [{ type: 'text', text, ...(marks && marks.length > 0 ? { marks } : {}) }];
}

function paragraph(content: readonly AdfNode[]): AdfNode {
  return { type: 'paragraph', content };
}

function listItem(content: readonly AdfNode[]): AdfNode {
  return { type: 'listItem', content: content.length > 0 ? content : [paragraph([])] };
}

function grid(set: SetTable): AdfNode {
  const head = set.columns.map((column) =>
    texts(column.symbol === '' ? column.title : `${column.title} (${column.symbol})`),
  );
  return table([
    head,
    ...set.rows.map((row) =>
      row.map((cell) => texts(cell.text, cell.kind === 'code' && !cell.missing ? [{ type: 'code' }] : [])),
    ),
  ]);
}

function table(rows: readonly (readonly (readonly AdfNode[])[])[]): AdfNode {
  return {
    type: 'table',
    content: rows.map((row, index) => ({
      type: 'tableRow',
      content: row.map((cell) => ({
        type: index === 0 ? 'tableHeader' : 'tableCell',
        attrs: {},
        content: [paragraph(cell)],
      })),
    })),
  };
}
