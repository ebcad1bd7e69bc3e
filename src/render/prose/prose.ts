import { createRequire } from 'node:module';
import type MarkdownItModule from 'markdown-it';
import type { Inline, ValueRef } from '../../report/document.ts';
import { type InlineNode, type ProseNode, type Token, treeOf } from './prose-tree.ts';

/** What prose needs from the format that it is set in. */
export interface ProseTarget {
  /** A computed number, as HTML. */
  readonly value: (value: ValueRef) => string;
  /** The label of an anchor, "Figure 2", for links that leave their text empty; null for an unknown anchor. */
  readonly label: (id: string) => string | null;
}

/** Markdown (CommonMark with tables) as blocks of HTML; raw HTML in it is text, images become links. */
export function proseHtml(content: Inline, target: ProseTarget): string {
  return renderMarkdown(content, target, false);
}

/** The same for one line: titles, captions, bullets. */
export function lineHtml(content: Inline, target: ProseTarget): string {
  return renderMarkdown(content, target, true);
}

/** Prose as a tree, for the formats that are not HTML; empty references get the text that `label` gives. */
export function proseTree(content: Inline, label: ProseTarget['label']): readonly ProseNode[] {
  const { source, values } = joined(content);
  const tokens = parser.parse(source, { values, target: { value: (value: ValueRef) => value.text, label } });
  return treeOf(tokens, values, MARKS).blocks(null);
}

/** A line as a tree. */
export function lineTree(content: Inline, label: ProseTarget['label']): readonly InlineNode[] {
  const { source, values } = joined(content);
  const tokens = parser.parseInline(source, { values, target: { value: (value: ValueRef) => value.text, label } });
  return treeOf([], values, MARKS).inline(tokens[0]?.children ?? []);
}

/** The words of a line without any markup. */
export function plainText(content: Inline): string {
  const { source, values } = joined(content);
  const environment: Environment = { values, target: { value: (value) => value.text, label: () => null } };
  const tokens = parser.parseInline(source, environment).flatMap((token) => token.children ?? []);
  const text = tokens
    .map((token) => (token.type === 'softbreak' || token.type === 'hardbreak' ? ' ' : token.content))
    .join('');
  return text.replace(MARKS, (_, index: string) => values[Number(index)]?.text ?? '').trim();
}

// Computed numbers pass through Markdown as an index between two private-use characters, which authors' text can't contain.
const OPEN = '\ue000';
const CLOSE = '\ue001';
const MARKS = /\ue000(\d+)\ue001/g;

// Its single file for `require`: imported it is 70 files, which cost more time than a report's prose.
const MarkdownIt = createRequire(import.meta.url)('markdown-it') as typeof MarkdownItModule;
const parser = new MarkdownIt({ html: false, linkify: false, typographer: false });

interface Environment {
  readonly values: readonly ValueRef[];
  readonly target: ProseTarget;
}

parser.inline.ruler.push('value', (state, silent) => {
  if (state.src[state.pos] !== OPEN) return false;
  const end = state.src.indexOf(CLOSE, state.pos);
  if (end < 0) return false;
  if (!silent) state.push('value', '', 0).content = state.src.slice(state.pos, end + 1);
  state.pos = end + 1;
  return true;
});
// The text rule must stop at a number, or it would swallow it.
parser.inline.ruler.at('text', (state, silent) => {
  const rest = state.src.slice(state.pos);
  const end = rest.search(/[\n!#$%&*+\-:<=>@[\\\]^_`{}~\ue000]/);
  const length = end < 0 ? rest.length : end;
  if (length === 0) return false;
  if (!silent) state.pending += rest.slice(0, length);
  state.pos += length;
  return true;
});
parser.renderer.rules.value = (tokens, index, _options, environment: Environment) => {
  const value = environment.values[Number(tokens[index]!.content.slice(1, -1))];
  return value ? environment.target.value(value) : '';
};
parser.core.ruler.push('anchors', (state) => {
  for (const token of state.tokens) {
    if (!token.children) continue;
    token.children = withoutImages(token.children);
    labelAnchors(token.children, (state.env as Environment).target);
  }
});

/** An image is a request to somewhere else, and a report makes none: a link in its place, or its words where it stands in a link. */
function withoutImages(tokens: readonly Token[]): Token[] {
  let isInLink = false;
  return tokens.flatMap((token) => {
    if (token.type === 'link_open' || token.type === 'link_close') isInLink = token.type === 'link_open';
    if (token.type !== 'image') return [token];
    const words = withoutImages(token.children ?? []).filter(({ type }) => !type.startsWith('link_'));
    if (words.length === 0) words.push(textToken(token.attrGet('src') ?? ''));
    if (isInLink) return words;
    const open = new InlineToken('link_open', 'a', 1);
    open.attrSet('href', token.attrGet('src') ?? '');
    return [open, ...words, new InlineToken('link_close', 'a', -1)];
  });
}

/** `[](#figure-id)` prints as "Figure 2": references stay right when figures move or are made in a loop. */
function labelAnchors(tokens: Token[], target: ProseTarget): void {
  for (let i = 0; i < tokens.length - 1; i++) {
    const href = tokens[i]!.type === 'link_open' ? tokens[i]!.attrGet('href') : null;
    if (href === null) continue;
    if (!href.startsWith('#')) tokens[i]!.attrSet('rel', 'noopener noreferrer');
    else if (tokens[i + 1]!.type === 'link_close') {
      tokens.splice(i + 1, 0, textToken(target.label(decodeURIComponent(href.slice(1))) ?? href));
    }
  }
}

function textToken(content: string): Token {
  const token = new InlineToken('text', '', 0);
  token.content = content;
  return token;
}

const InlineToken = parser.parseInline('x', {})[0]!.children![0]!.constructor as new (
  type: string,
  tag: string,
  nesting: -1 | 0 | 1,
) => Token;

function renderMarkdown(content: Inline, target: ProseTarget, inline: boolean): string {
  const { source, values } = joined(content);
  const environment: Environment = { values, target };
  const html = inline ? parser.renderInline(source, environment) : parser.render(source, environment);
  // What is left stands in code or a link's address, where only the text of a number makes sense.
  return html
    .replace(MARKS, (_, index: string) => escapeHtml(values[Number(index)]?.text ?? ''))
    .replace(/%EE%80%80(\d+)%EE%80%81/g, (_, index: string) => encodeURIComponent(values[Number(index)]?.text ?? ''));
}

function joined(content: Inline): { source: string; values: readonly ValueRef[] } {
  const values: ValueRef[] = [];
  const source = content.map((part) => {
    if (typeof part === 'string') return part.replace(/[\ue000\ue001]/g, '');
    values.push(part);
    return `${OPEN}${values.length - 1}${CLOSE}`;
  });
  return { source: source.join(''), values };
}

function escapeHtml(text: string): string {
  return parser.utils.escapeHtml(text);
}
