import { BenchbookError, type Place } from '../../lib/errors.ts';
import { suggestion } from '../../lib/suggestions.ts';
import { numericLabel } from '../../lib/units.ts';
import type { Statistic, TrialOutcome } from '../../study/expression.ts';
import type { Cell, Primitive } from '../../study/types.ts';
import { checkCellBut, checkFactor, checkFilter, checkMetric, checkWholeCell } from './checked-names.ts';
import { ExpressionData } from './expressions.ts';
import type { WordContext } from './parts.ts';

const STATISTICS: readonly Statistic[] = [
  'median',
  'mean',
  'min',
  'max',
  'sd',
  'mad',
  'cv',
  'q1',
  'q3',
  'p5',
  'p90',
  'p95',
  'p99',
  'n',
];
const OUTCOMES: readonly TrialOutcome[] = ['ok', 'failed', 'timeout', 'crashed', 'skipped'];

/** `stat`, `ratio`, `difference`, `slope`, `effect`, `outcome`: numbers as data. */
export function numberWords({ study, here }: WordContext): Readonly<Record<string, unknown>> {
  const pair = (word: string, metric: unknown, of: unknown, at: unknown) => {
    const place = here();
    const checked = checkMetric(metric, study, word, place);
    const pairs = pairsOf(word, of, `write ${word}('${checked}', { factor: ['a', 'b'] }, { … })`, place);
    const side = (index: 0 | 1) => {
      const levels = Object.fromEntries(pairs.map(([name, both]) => [name, both[index]]));
      return checkWholeCell({ ...(at as Cell), ...levels }, study, word, place);
    };
    return { metric: checked, first: side(0), second: side(1), place };
  };

  return {
    stat: (metric: unknown, at: unknown, statistic: Statistic = 'median') => {
      const place = here();
      checkKnown(statistic, STATISTICS, "'stat' knows no statistic", place);
      const checked = checkMetric(metric, study, 'stat', place);
      return new ExpressionData({
        op: 'stat',
        metric: checked,
        at: checkWholeCell(at, study, 'stat', place),
        statistic,
        place,
      });
    },
    ratio: (metric: unknown, of: unknown, at: unknown) => {
      const { metric: name, first, second, place } = pair('ratio', metric, of, at);
      return new ExpressionData({ op: 'ratio', metric: name, numerator: first, denominator: second, place });
    },
    difference: (metric: unknown, of: unknown, at: unknown) => {
      const { metric: name, first, second, place } = pair('difference', metric, of, at);
      return new ExpressionData({ op: 'difference', metric: name, minuend: first, subtrahend: second, place });
    },
    slope: (metric: unknown, over: unknown, at: unknown, options: { readonly per?: Primitive } = {}) => {
      const place = here();
      checkPer(options.per, place);
      const name = checkFactor(over, study, 'slope', place);
      const checked = checkMetric(metric, study, 'slope', place);
      return new ExpressionData({
        op: 'slope',
        metric: checked,
        over: name,
        at: checkCellBut(name, at, study, 'slope', place),
        ...(options.per === undefined ? {} : { per: options.per }),
        place,
      });
    },
    effect: (metric: unknown, of: unknown, where: unknown) => {
      const place = here();
      const checked = checkMetric(metric, study, 'effect', place);
      const hint = `write effect('${checked}', { factor: ['a', 'b'] })`;
      const pairs = pairsOf('effect', of, hint, place);
      if (pairs.length !== 1)
        throw new BenchbookError('study', "'effect' needs one factor and two of its levels.", { place, hint });
      const [factor, [level, against]] = pairs[0]!;
      for (const each of [level, against]) checkFilter({ [factor]: each }, study, 'effect', place);
      return new ExpressionData({
        op: 'effect',
        metric: checked,
        factor,
        level,
        against,
        where: checkFilter(where, study, 'effect', place),
        place,
      });
    },
    outcome: (outcome: TrialOutcome, at: unknown, as: 'count' | 'share' = 'count') => {
      const place = here();
      checkKnown(outcome, OUTCOMES, "'outcome' knows no outcome", place);
      checkKnown(as, ['count', 'share'], "'outcome' gives no", place);
      return new ExpressionData({ op: 'outcome', outcome, as, at: checkWholeCell(at, study, 'outcome', place), place });
    },
  };
}

function pairsOf(word: string, of: unknown, hint: string, place: Place): [string, readonly [Primitive, Primitive]][] {
  const pairs = Object.entries((of ?? {}) as Readonly<Record<string, unknown>>);
  const right = pairs.length > 0 && pairs.every(([, both]) => Array.isArray(both) && both.length === 2);
  if (!right) throw new BenchbookError('study', `'${word}' needs a pair of levels.`, { place, hint });
  return pairs as [string, readonly [Primitive, Primitive]][];
}

function checkPer(per: Primitive | undefined, place: Place): void {
  const amount = per === undefined ? 1 : numericLabel(per);
  if (amount !== null && amount > 0) return;
  const hint = "write per as the factor's levels are written: { per: 1000 } or { per: '1G' }";
  throw new BenchbookError('study', `'slope' can't tell a rise per '${String(per)}'.`, { place, hint });
}

function checkKnown(given: unknown, known: readonly string[], sentence: string, place: Place): void {
  if (known.includes(given as string)) return;
  throw new BenchbookError('study', `${sentence} '${String(given)}'.`, {
    place,
    hint: suggestion(String(given), known),
  });
}
