import type { Document } from '../../report/document.ts';
import type { FrontMatter } from '../formats/format.ts';
import type { InlineNode, ProseNode } from '../prose/prose-tree.ts';
import type { SetTable } from '../tables/tables.ts';
import { type Dialect, flow } from './flow.ts';

/**
 * The report as GitHub-flavoured Markdown for a blog: figures as files below `figures/`, tables as GFM. Text of studies
 * and servers is escaped, so that no generator takes it for markup, HTML or a template.
 */
export function markdownReport(document: Document, frontMatter: FrontMatter): string {
  const blocks = flow(document, dialect, { denseRows: 40, appendices: true });
  const heading = frontMatter === 'none' ? [`# ${escapeText(document.title)}`] : [head(document, frontMatter)];
  return `${[...heading, ...blocks].filter((block) => block !== '').join('\n\n')}\n`;
}

const dialect: Dialect<string> = {
  heading: (level, text) => `${'#'.repeat(level)} ${line(text)}`,
  paragraph: (text) => line(text),
  prose: (nodes) => nodes.map(prose),
  picture: (file, alt) => `![${escapeText(alt)}](figures/${file}.svg)`,
  table: (table) => grid(table),
  bullets: (items) => items.map((item) => `- ${line(item)}`).join('\n'),
  callout: (kind, title, body) =>
    quoted([`**${LABELS[kind]}: ${escapeText(title)}**`, ...body.map(prose)].join('\n\n')),
  code: (language, text, title) =>
    [title === null ? '' : `**${escapeText(title)}**\n\n`, fence(language, text)].join(''),
  rule: () => '---',
};

const LABELS = { note: 'Note', caution: 'Caution', failure: 'Failure' } as const;

function prose(node: ProseNode): string {
  switch (node.type) {
    case 'paragraph':
      return line(node.children);
    case 'heading':
      return `${'#'.repeat(Math.min(6, node.level + 3))} ${line(node.children)}`;
    case 'list':
      return node.items.map((item, index) => indented(node.ordered ? `${index + 1}. ` : '- ', item)).join('\n');
    case 'quote':
      return quoted(node.children.map(prose).join('\n\n'));
    case 'code':
      return fence(node.language, node.text);
    case 'rule':
      return '---';
    case 'table':
      return rows(
        node.rows.map((row) => row.map((cell) => line(cell))),
        [],
      );
  }
}

function line(nodes: readonly InlineNode[]): string {
  // A paragraph must not begin like a list, a heading, a quote or a rule.
  return pieces(nodes).replace(
    /^(\s*)([#>+-]|\d+[.)])(?=\s|$)/,
    (_, space: string, mark: string) => `${space}${mark.slice(0, -1)}\\${mark.slice(-1)}`,
  );
}

/** An exclamation mark before a link would make an image of it, which a page then loads from wherever it lies. */
function pieces(nodes: readonly InlineNode[]): string {
  return nodes.map(piece).reduce((text, next) => (next.startsWith('[') ? text.replace(/!$/, '\\!') : text) + next, '');
}

function piece(node: InlineNode): string {
  switch (node.type) {
    case 'text':
      return escapeText(node.text);
    case 'code':
      return codeSpan(node.text);
    case 'value':
      return escapeText(node.value.text);
    case 'break':
      return '\\\n';
    case 'strong':
      return wrapped('**', node.children);
    case 'emphasis':
      return wrapped('*', node.children);
    case 'strike':
      return wrapped('~~', node.children);
    case 'link':
      // Anchors of the HTML report do not exist in a blog's page: only their words stay.
      return node.href.startsWith('#')
        ? pieces(node.children)
        : `[${pieces(node.children)}](<${node.href.replace(/[<>\n]/g, encodeURIComponent)}>)`;
  }
}

/** Emphasis marks must touch the words: `** x**` is no emphasis. */
function wrapped(mark: string, children: readonly InlineNode[]): string {
  const inner = pieces(children);
  const words = inner.trim();
  if (words === '') return inner;
  const start = inner.length - inner.trimStart().length;
  return `${inner.slice(0, start)}${mark}${words}${mark}${inner.slice(start + words.length)}`;
}

function escapeText(text: string): string {
  return (
    text
      .replace(/\s*\n\s*/g, ' ')
      .replace(/[\\`*_[\]|~]/g, '\\$&')
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      // Site generators fill in {{ }} and {% %} before they read Markdown.
      .replace(/\{(?=[{%<])|(?<=[}%>])\}/g, (brace) => `&#${brace.charCodeAt(0)};`)
  );
}

function codeSpan(text: string): string {
  const single = unshortcode(text.replace(/\s*\n\s*/g, ' '));
  const ticks = '`'.repeat(longestRun(single) + 1);
  const space = /^`|`$|^ .* $/.test(single) ? ' ' : '';
  return single === '' ? '' : `${ticks}${space}${single}${space}${ticks}`;
}

function fence(language: string, text: string): string {
  const ticks = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${ticks}${language.replace(/[^A-Za-z0-9+#-]/g, '')}\n${unshortcode(text.replace(/\n$/, ''))}\n${ticks}`;
}

/** Hugo fills in its shortcodes even in code, and knows no escape that other generators would not print. */
function unshortcode(text: string): string {
  return text.replace(/\{(?=\{[<%])/g, '{\u200b');
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map((match) => match[0].length));
}

function grid(table: SetTable): string {
  const head = table.columns.map((column) =>
    escapeText(column.symbol === '' ? column.title : `${column.title} (${column.symbol})`),
  );
  const body = table.rows.map((row) =>
    row.map((cell) => (cell.kind === 'code' && !cell.missing ? cellCode(cell.text) : escapeText(cell.text))),
  );
  return rows(
    [head, ...body],
    table.columns.map((column) => column.kind === 'number'),
  );
}

/** GFM splits cells before it reads code spans: a bar in one needs its backslash too. */
function cellCode(text: string): string {
  return codeSpan(text).replaceAll('|', '\\|');
}

function rows(lines: readonly (readonly string[])[], numeric: readonly boolean[]): string {
  const [head = [], ...body] = lines;
  const rule = head.map((_, index) => (numeric[index] ? '---:' : '---'));
  return [head, rule, ...body].map((cells) => `| ${cells.map((cell) => cell || ' ').join(' | ')} |`).join('\n');
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((row) => (row === '' ? '>' : `> ${row}`))
    .join('\n');
}

function indented(mark: string, blocks: readonly ProseNode[]): string {
  const body = blocks.map(prose).join('\n\n');
  return mark + body.split('\n').join(`\n${' '.repeat(mark.length)}`);
}

function head(document: Document, kind: 'hugo' | 'jekyll'): string {
  // JSON strings are YAML strings, whatever stands in them.
  const quote = (text: string) => JSON.stringify(text);
  const lines = [
    ...(kind === 'jekyll' ? ['layout: post', 'render_with_liquid: false'] : []),
    `title: ${quote(document.title)}`,
    `date: ${document.date}`,
    ...(kind === 'hugo' ? ['draft: true'] : ['published: false']),
    `tags: [${['benchmark', ...document.tickets].map(quote).join(', ')}]`,
  ];
  return `---\n${lines.join('\n')}\n---`;
}
