import type { Document } from '../../report/document.ts';
import type { InlineNode, ProseNode } from '../prose/prose-tree.ts';
import type { SetTable } from '../tables/tables.ts';
import { type Dialect, flow } from './flow.ts';

/** What a Jira Data Center instance accepts in a description or comment unless its administrator raised it. */

/**
 * The report in Jira's wiki markup (Data Center): sections, tables and figures as attachments by name; the raw data stay
 * in the attached report. Everything that a study or a server says is escaped.
 */
export function jiraReport(document: Document, attachments: readonly string[]): string {
  const blocks = flow(document, dialect, { denseRows: 20, appendices: false });
  const attached =
    attachments.length > 0
      ? [`Attached: ${attachments.map((name) => `[^${name.replace(/[\][|^]/g, '')}]`).join(', ')}`]
      : [];
  return `${[`h1. ${escapeText(document.title)}`, ...blocks, ...attached].filter((block) => block !== '').join('\n\n')}\n`;
}

const dialect: Dialect<string> = {
  heading: (level, text) => `h${level}. ${line(text)}`,
  paragraph: (text) => line(text),
  prose: (nodes) => nodes.map((node) => prose(node, '')),
  picture: (file, alt) => `!${file}.png|width=700,alt=${alt.replace(/[\n|!"{},=]/g, ' ').slice(0, 200)}!`,
  table: (table) => grid(table),
  bullets: (items) => items.map((item) => `* ${line(item)}`).join('\n'),
  callout: (kind, title, body) =>
    `{panel:title=${parameter(`${LABELS[kind]}: ${title}`)}|borderColor=${COLORS[kind]}}\n${body.map((node) => prose(node, '')).join('\n\n')}\n{panel}`,
  code: (language, text, title) => block(language, text, title),
  rule: () => '----',
};

const LABELS = { note: 'Note', caution: 'Caution', failure: 'Failure' } as const;
const COLORS = { note: '#2f5b78', caution: '#7f4d06', failure: '#9e3021' } as const;

function prose(node: ProseNode, marks: string): string {
  switch (node.type) {
    case 'paragraph':
      return line(node.children);
    case 'heading':
      return `h${Math.min(6, node.level + 3)}. ${line(node.children)}`;
    case 'list': {
      const mark = marks + (node.ordered ? '#' : '*');
      return node.items.map((item) => listItem(item, mark)).join('\n');
    }
    case 'quote':
      return `{quote}\n${node.children.map((child) => prose(child, '')).join('\n\n')}\n{quote}`;
    case 'code':
      return block(node.language, node.text, null);
    case 'rule':
      return '----';
    case 'table':
      return node.rows
        .map((row, index) =>
          tableRow(
            row.map((cell) => line(cell)),
            index === 0,
          ),
        )
        .join('\n');
  }
}

function listItem(item: readonly ProseNode[], mark: string): string {
  return item
    .map((node, index) =>
      node.type === 'list' ? prose(node, mark) : `${index === 0 ? `${mark} ` : ''}${prose(node, mark)}`,
    )
    .join('\n');
}

function line(nodes: readonly InlineNode[]): string {
  // A line must not begin like a list, a heading or a quote.
  return nodes
    .map(piece)
    .join('')
    .replace(/^(?=[#*-]+\s|h[1-6]\.|bq\.)/, '\\');
}

function piece(node: InlineNode): string {
  switch (node.type) {
    case 'text':
      return escapeText(node.text);
    case 'value':
      return escapeText(node.value.text);
    case 'code':
      return node.text === '' ? '' : `{{${escapeText(node.text)}}}`;
    case 'break':
      return '\n';
    case 'strong':
      return wrapped('*', node.children);
    case 'emphasis':
      return wrapped('_', node.children);
    case 'strike':
      return wrapped('-', node.children);
    case 'link': {
      const words = node.children.map(piece).join('');
      return node.href.startsWith('#')
        ? words
        : `[${words}|${node.href.replace(/[|\]\n]/g, encodeURIComponent).replaceAll('!', '%21')}]`;
    }
  }
}

function wrapped(mark: string, children: readonly InlineNode[]): string {
  const inner = children.map(piece).join('');
  const words = inner.trim();
  if (words === '') return inner;
  const start = inner.length - inner.trimStart().length;
  return `${inner.slice(0, start)}${mark}${words}${mark}${inner.slice(start + words.length)}`;
}

/** Jira reads a mark as a mark only at the edge of a word, but never minds a backslash before one. */
function escapeText(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\\{}[\]|*_^~!]/g, '\\$&')
    .replace(/(?<![A-Za-z0-9])[-+](?=\S)|-(?=-)|\?(?=\?)/g, '\\$&')
    .replace(/\((?=(?:[/x!+\-?*yni]|on|off|\*[rgby]|\\[!*])\))|[:;](?=-?[()PD](?![A-Za-z0-9]))/g, '\\$&');
}

/** `{code}` in the text would end the block: `{noformat}` then, and a zero-width space where that stands in it too. */
function block(language: string, text: string, title: string | null): string {
  const parameters = [
    language.replace(/[^A-Za-z0-9+#]/g, ''),
    title === null ? '' : `title=${parameter(title)}`,
  ].filter(Boolean);
  if (!text.includes('{code'))
    return `{code${parameters.length > 0 ? `:${parameters.join('|')}` : ''}}\n${text}\n{code}`;
  return `{noformat}\n${text.replaceAll('{noformat', '{\u200bnoformat')}\n{noformat}`;
}

function parameter(text: string): string {
  return text.replace(/[|{}\n=]|!(?=\S)/g, ' ').trim();
}

function grid(table: SetTable): string {
  const head = table.columns.map((column) =>
    escapeText(column.symbol === '' ? column.title : `${column.title} (${column.symbol})`),
  );
  const body = table.rows.map((row) =>
    row.map((cell) => (cell.kind === 'code' && !cell.missing ? `{{${escapeText(cell.text)}}}` : escapeText(cell.text))),
  );
  return [tableRow(head, true), ...body.map((row) => tableRow(row, false))].join('\n');
}

function tableRow(cells: readonly string[], isHead: boolean): string {
  const bar = isHead ? '||' : '|';
  return `${bar}${cells.map((cell) => (cell.trim() === '' ? ' ' : cell)).join(bar)}${bar}`;
}
