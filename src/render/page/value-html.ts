import Handlebars from 'handlebars';
import { BenchbookError } from '../../lib/errors.ts';
import type { ValueRef } from '../../report/document.ts';
import type { Anchors } from '../prose/anchors.ts';

/**
 * A number that says on hover and focus where it comes from, and leads to its samples where the report holds them. In a table the row
 * names the cell, and the expression does too.
 */
export function valueHtml(value: ValueRef, anchors: Anchors, inTable = false): string {
  const interval = value.interval === undefined ? '' : `, 95 % interval ${value.interval}`;
  const where = inTable ? value.metric : `${value.metric} at ${value.filter}`;
  const note = `${where}; n = ${value.n}${interval}; ${value.expression}`;
  const link = anchors.has(value.samplesId)
    ? `href="#${escaped(value.samplesId)}" data-cell="${escaped(value.filter)}"`
    : 'tabindex="0"';
  const name = value.value === null ? 'value no-value' : 'value';
  return `<a class="${name}" ${link} data-note="${escaped(note)}">${escaped(value.text)}</a>`;
}

export function labelOf(id: string, anchors: Anchors): string {
  const label = anchors.get(id);
  if (label === undefined)
    throw new BenchbookError('render', `Prose refers to "#${id}", which is no anchor of this report.`, {
      hint: nearest(id, anchors),
    });
  return label;
}

function nearest(id: string, anchors: Anchors): string {
  return `Anchors are: ${[...anchors.keys()].join(', ') || 'none'}; looked for "${id}".`;
}

export function safe(html: string): Handlebars.SafeString {
  return new Handlebars.SafeString(html);
}

/** For text, and for attributes in double quotes: all that HTML asks for there. */
export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (mark) => ESCAPES[mark]!);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
