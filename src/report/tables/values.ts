import type { Analysis } from '../../analysis/analysis.ts';
import type { Interval, Resolved } from '../../analysis/results.ts';
import { printExpression } from '../../draft/print.ts';
import type { Parts } from '../../draft/types.ts';
import { BenchbookError, type Place } from '../../lib/errors.ts';
import { formatInterval, formatValue } from '../../lib/units.ts';
import type { Check, Expression } from '../../study/expression.ts';
import type { CellOrigin, Inline, ValueRef } from '../document.ts';
import { cellText, samplesId } from '../names.ts';
import type { Numbering } from '../sections/numbering.ts';

/** Turns text with numbers and references in it into text that can be printed. */
export type Resolve = (parts: Parts) => Inline;

/** Resolved numbers in text, each leading to its samples; references as links. */
export function resolverOf(analysis: Analysis, numbering: Numbering): Resolve {
  return (parts) =>
    parts.map((part) => {
      if (typeof part === 'string') return part;
      if (part.op !== 'reference') return valueRef(analysis.resolve(part), part);
      const link = numbering.linkOf(part.id);
      if (link !== null) return link;
      throw new BenchbookError('render', `'ref' names '${part.id}', which is no figure or table of this report.`, {
        place: part.place,
      });
    });
}

/**
 * A number ready to print.
 *
 * A number that does not exist prints as its reason: prose that was written before a failure must say so, not hide it.
 */
export function valueRef(resolved: Resolved, expression: Expression): ValueRef {
  const interval = resolved.interval;
  return {
    text:
      resolved.value === null
        ? `[no value: ${resolved.why ?? 'no sample'}]`
        : formatValue(resolved.value, resolved.unit, interval ? { interval } : {}),
    ...(interval ? { interval: formatInterval(interval, resolved.unit, { like: resolved.value }) } : {}),
    n: resolved.n,
    value: resolved.value,
    metric: resolved.metric,
    filter: resolved.cells.map((cell) => cellText(cell)).join(' against '),
    expression: printExpression(expression),
    samplesId: resolved.metric === '' ? 'trials' : samplesId(resolved.metric),
  };
}

/** Where a table's number comes from, as an expression; the table's own interval where it has one of its own. */
export function originOf(
  at: Pick<CellOrigin, 'row' | 'column'>,
  expression: TableExpression,
  { analysis, place, interval }: { analysis: Analysis; place: Place; interval?: Interval | null },
): readonly CellOrigin[] {
  const whole: Expression = { ...expression, place };
  const resolved = analysis.resolve(whole);
  if (resolved.value === null) return [];
  return [{ ...at, value: valueRef({ ...resolved, interval: interval ?? resolved.interval }, whole) }];
}

/** Expressions that a table makes by itself. */
type TableExpression =
  | Omit<Extract<Expression, { op: 'stat' }>, 'place'>
  | Omit<Extract<Expression, { op: 'ratio' }>, 'place'>;

/** The expressions of a check, in the order written. */
export function expressionsOf(check: Check): readonly Expression[] {
  switch (check.op) {
    case 'and':
    case 'or':
      return check.checks.flatMap(expressionsOf);
    case 'not':
      return expressionsOf(check.check);
    default:
      return [check.of];
  }
}
