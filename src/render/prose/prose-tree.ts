import type MarkdownIt from 'markdown-it';
import type { ValueRef } from '../../report/document.ts';

export type Token = ReturnType<MarkdownIt['parse']>[number];

/** One piece of a line. */
export type InlineNode =
  | { readonly type: 'text' | 'code'; readonly text: string }
  | { readonly type: 'value'; readonly value: ValueRef }
  | { readonly type: 'break' }
  | { readonly type: 'strong' | 'emphasis' | 'strike'; readonly children: readonly InlineNode[] }
  | { readonly type: 'link'; readonly href: string; readonly children: readonly InlineNode[] };

/** One block of prose. */
export type ProseNode =
  | { readonly type: 'paragraph'; readonly children: readonly InlineNode[] }
  | { readonly type: 'heading'; readonly level: number; readonly children: readonly InlineNode[] }
  | { readonly type: 'list'; readonly ordered: boolean; readonly items: readonly (readonly ProseNode[])[] }
  | { readonly type: 'quote'; readonly children: readonly ProseNode[] }
  | { readonly type: 'code'; readonly language: string; readonly text: string }
  | { readonly type: 'rule' }
  | { readonly type: 'table'; readonly rows: readonly (readonly (readonly InlineNode[])[])[] };

/** A reader of markdown-it's flat list of tokens, which nests by `_open` and `_close`. */
export function treeOf(tokens: readonly Token[], values: readonly ValueRef[], marks: RegExp) {
  let at = 0;
  const plain = (text: string) => text.replace(marks, (_, index: string) => values[Number(index)]?.text ?? '');
  const blocks = (until: string | null): ProseNode[] => {
    const result: ProseNode[] = [];
    while (at < tokens.length) {
      const token = tokens[at++]!;
      if (token.type === until) break;
      const node = block(token);
      if (node) result.push(node);
    }
    return result;
  };
  const block = (token: Token): ProseNode | null => {
    switch (token.type) {
      case 'paragraph_open':
      case 'heading_open': {
        const children = inline(tokens[at]?.children ?? []);
        at += 2;
        return token.type === 'paragraph_open'
          ? { type: 'paragraph', children }
          : { type: 'heading', level: Number(token.tag.slice(1)), children };
      }
      case 'bullet_list_open':
      case 'ordered_list_open': {
        const close = token.type.replace('_open', '_close');
        const items: ProseNode[][] = [];
        while (tokens[at]?.type === 'list_item_open') {
          at++;
          items.push(blocks('list_item_close'));
        }
        if (tokens[at]?.type === close) at++;
        return { type: 'list', ordered: token.type === 'ordered_list_open', items };
      }
      case 'blockquote_open':
        return { type: 'quote', children: blocks('blockquote_close') };
      case 'fence':
      case 'code_block':
        return { type: 'code', language: token.info.trim(), text: plain(token.content).replace(/\n$/, '') };
      case 'hr':
        return { type: 'rule' };
      case 'table_open':
        return { type: 'table', rows: tableRows() };
      default:
        return null;
    }
  };
  const tableRows = () => {
    const rows: InlineNode[][][] = [];
    for (; at < tokens.length && tokens[at]!.type !== 'table_close'; at++) {
      if (tokens[at]!.type === 'tr_open') rows.push([]);
      if (tokens[at]!.type === 'inline') rows[rows.length - 1]?.push(inline(tokens[at]!.children ?? []));
    }
    at++;
    return rows;
  };
  const inline = (list: readonly Token[]): InlineNode[] => {
    const stack: { readonly open: Token | null; readonly children: InlineNode[] }[] = [{ open: null, children: [] }];
    const add = (node: InlineNode) => stack[stack.length - 1]!.children.push(node);
    for (const token of list) {
      if (token.nesting === 1) stack.push({ open: token, children: [] });
      else if (token.nesting === -1) {
        const { open, children } = stack.pop()!;
        const type = WRAPPERS[open?.tag ?? ''];
        if (open?.tag === 'a') add({ type: 'link', href: plain(open.attrGet('href') ?? ''), children });
        else if (type) add({ type, children });
      } else if (token.type === 'value') add({ type: 'value', value: values[Number(token.content.slice(1, -1))]! });
      else if (token.type === 'code_inline') add({ type: 'code', text: plain(token.content) });
      else if (token.type === 'softbreak') add({ type: 'text', text: ' ' });
      else if (token.type === 'hardbreak') add({ type: 'break' });
      else if (token.content !== '') add({ type: 'text', text: token.content });
    }
    return stack[0]!.children;
  };
  return { blocks, inline };
}

const WRAPPERS: Readonly<Record<string, 'strong' | 'emphasis' | 'strike'>> = {
  strong: 'strong',
  em: 'emphasis',
  s: 'strike',
};
