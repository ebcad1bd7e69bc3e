import { formatInterval, formatValue } from '../../lib/units.ts';
import type { Check, Expression } from '../../study/expression.ts';
import type { CheckResult, ClaimVerdict, Resolved } from '../results.ts';

type Resolve = (expression: Expression) => Resolved;

/**
 * Decides a condition by the interval of its value: supported where the whole interval meets it, refuted where none of it does,
 * inconclusive otherwise and where there is no interval (n < 6, no value). `and`, `or` and `not` follow Kleene's three-valued logic.
 */
export function evaluateCheck(check: Check, resolve: Resolve): CheckResult {
  switch (check.op) {
    case 'and':
      return combine(check.checks, resolve, 'refuted', 'supported', 'and');
    case 'or':
      return combine(check.checks, resolve, 'supported', 'refuted', 'or');
    case 'not': {
      const inner = evaluateCheck(check.check, resolve);
      return { ...inner, verdict: opposite(inner.verdict) };
    }
    default: {
      const value = resolve(check.of);
      return verdictFromRange(value, rangeOf(check, value));
    }
  }
}

/** Where the value should lie; open ends are infinite. */
interface Range {
  readonly low: number;
  readonly high: number;
  readonly text: string;
}

type Simple = Exclude<Check, { op: 'and' | 'or' | 'not' }>;

/** `equivalentTo` means a fraction of the value for stat, ratio and effect (from 1/(1+f) to 1+f times it), an amount for the others. */
function rangeOf(check: Simple, { unit }: Resolved): Range {
  const show = (value: number, digits = 6) =>
    formatValue(value, unit, { digits })
      .replace(/(\.\d*?)0+(?=\D|$)/, '$1')
      .replace(/\.(?=\D|$)/, '');
  const infinity = Number.POSITIVE_INFINITY;
  switch (check.op) {
    case 'below':
      return { low: -infinity, high: check.limit, text: `below ${show(check.limit)}` };
    case 'above':
      return { low: check.limit, high: infinity, text: `above ${show(check.limit)}` };
    case 'between':
      return { low: check.low, high: check.high, text: `between ${show(check.low)} and ${show(check.high)}` };
    case 'equivalentTo': {
      const relative = ['stat', 'ratio', 'effect'].includes(check.of.op) && check.value > 0;
      const low = relative ? check.value / (1 + check.within) : check.value - check.within;
      const high = relative ? check.value * (1 + check.within) : check.value + check.within;
      return { low, high, text: `between ${show(low, 4)} and ${show(high, 4)}` };
    }
  }
}

function verdictFromRange(value: Resolved, range: Range): CheckResult {
  const values = [value];
  if (value.value === null) return { verdict: 'inconclusive', why: `there is no value: ${value.why}`, values };
  const { interval, n, unit } = value;
  if (interval === null) {
    const shown = formatValue(value.value, unit);
    return {
      verdict: 'inconclusive',
      why: `${shown} from n = ${n}${n < 6 ? ', too few for an interval' : ' has no interval'}`,
      values,
    };
  }
  const shown =
    interval.low === interval.high
      ? `the value ${formatValue(value.value, unit)} (n = ${n})`
      : `the interval ${formatInterval(interval, unit)} (n = ${n})`;
  if (interval.low > range.low && interval.high < range.high)
    return { verdict: 'supported', why: `${shown} lies ${range.text}`, values };
  if (interval.low >= range.high || interval.high <= range.low)
    return { verdict: 'refuted', why: `${shown} does not lie ${range.text}`, values };
  return { verdict: 'inconclusive', why: `${shown} lies only partly ${range.text}`, values };
}

/** One part with the deciding verdict settles the whole; where all parts have the other verdict, that is the whole's; else it is inconclusive. */
function combine(
  checks: readonly Check[],
  resolve: Resolve,
  deciding: ClaimVerdict,
  otherwise: ClaimVerdict,
  word: string,
): CheckResult {
  const parts = checks.map((check) => evaluateCheck(check, resolve));
  const verdict = parts.some((part) => part.verdict === deciding)
    ? deciding
    : parts.every((part) => part.verdict === otherwise)
      ? otherwise
      : 'inconclusive';
  return {
    verdict,
    why: parts.map((part) => part.why).join(`; ${word} `),
    values: parts.flatMap((part) => part.values),
  };
}

function opposite(verdict: ClaimVerdict): ClaimVerdict {
  return verdict === 'supported' ? 'refuted' : verdict === 'refuted' ? 'supported' : 'inconclusive';
}
