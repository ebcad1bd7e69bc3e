import { BenchbookError, type Place } from '../errors.ts';
import type { BlockWord, TextWord } from '../study/define.ts';
import type { ClaimKind, Expression, Statistic, TrialOutcome } from '../study/expression.ts';
import { suggestion } from '../study/near.ts';
import { placeInStack } from '../study/place.ts';
import type { Study } from '../study/study.ts';
import type { Cell, Primitive } from '../study/types.ts';
import { callText } from './call-text.ts';
import { CheckData, ExpressionData } from './expressions.ts';
import { checkCellBut, checkFactor, checkFilter, checkMetric, checkWholeCell } from './names.ts';
import { printCheck } from './print.ts';
import type { DraftBlock, FigureKind } from './types.ts';

const STATISTICS: readonly Statistic[] = ['median', 'mean', 'min', 'max', 'sd', 'mad', 'n'];
const OUTCOMES: readonly TrialOutcome[] = ['ok', 'failed', 'timeout', 'crashed', 'skipped'];
const FIGURE_OPTIONS = ['metric', 'x', 'color', 'where', 'title', 'caption', 'show'];

type Parts = readonly (string | Expression)[];
type Given = Readonly<Record<string, unknown>>;

/** The words that a study's report is written with: each checks its names and yields data. `displayFile` names the study in places. */
export function wordsFor(study: Study, displayFile: string): Readonly<Record<string, unknown>> {
  const here = (): Place => ({ ...placeInStack(new Error('here'), study.file), file: displayFile });
  const claimIds = new Set<string>();

  const pair = (
    word: string,
    metric: unknown,
    of: unknown,
    at: unknown,
  ): { metric: string; first: Cell; second: Cell; place: Place } => {
    const place = here();
    const checked = checkMetric(metric, study, word, place);
    const pairs = Object.entries((of ?? {}) as Readonly<Record<string, unknown>>);
    if (pairs.length === 0 || pairs.some(([, both]) => !Array.isArray(both) || both.length !== 2)) {
      throw new BenchbookError('study', `'${word}' needs a pair of levels.`, {
        place,
        hint: `write ${word}('${checked}', { factor: ['a', 'b'] }, { … })`,
      });
    }
    const side = (index: 0 | 1) =>
      checkWholeCell(
        { ...(at as Cell), ...Object.fromEntries(pairs.map(([name, both]) => [name, (both as Primitive[])[index]!])) },
        study,
        word,
        place,
      );
    return { metric: checked, first: side(0), second: side(1), place };
  };

  const figure = (kind: FigureKind) => (options: Given) => {
    const place = here();
    const word = `figure.${kind}`;
    checkOptions(options, FIGURE_OPTIONS, word, place);
    const show = options.show ?? 'value';
    if (show === 'ratio' && Object.keys(study.baseline).length === 0) {
      throw new BenchbookError('study', `'${word}' draws ratios, but the study has no baseline.`, {
        place,
        hint: 'give `variants.baseline` a level',
      });
    }
    return block({
      type: 'figure',
      kind,
      metric: checkMetric(options.metric, study, word, place),
      x: checkFactor(options.x, study, word, place),
      ...(options.color === undefined ? {} : { color: checkFactor(options.color, study, word, place) }),
      where: checkFilter(options.where, study, word, place),
      ...(options.title === undefined ? {} : { title: partsOf(options.title, place) }),
      ...(options.caption === undefined ? {} : { caption: partsOf(options.caption, place) }),
      show: show as 'value' | 'ratio',
      place,
      code: callText(study.sourceText, place),
    });
  };

  return {
    md: (text: TemplateStringsArray, ...values: unknown[]) => {
      const place = here();
      return block({ type: 'prose', parts: parts(dedent(text), values, place), place });
    },
    text: (text: TemplateStringsArray, ...values: unknown[]): TextWord => ({ text: parts([...text], values, here()) }),
    stat: (metric: unknown, at: unknown, statistic: Statistic = 'median') => {
      const place = here();
      if (!STATISTICS.includes(statistic)) {
        throw new BenchbookError('study', `'stat' knows no statistic '${String(statistic)}'.`, {
          place,
          hint: suggestion(String(statistic), STATISTICS),
        });
      }
      return new ExpressionData({
        op: 'stat',
        metric: checkMetric(metric, study, 'stat', place),
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
    slope: (metric: unknown, over: unknown, at: unknown) => {
      const place = here();
      const name = checkFactor(over, study, 'slope', place);
      const checked = checkMetric(metric, study, 'slope', place);
      return new ExpressionData({
        op: 'slope',
        metric: checked,
        over: name,
        at: checkCellBut(name, at, study, 'slope', place),
        place,
      });
    },
    effect: (metric: unknown, of: unknown, where: unknown) => {
      const place = here();
      const checked = checkMetric(metric, study, 'effect', place);
      const pairs = Object.entries((of ?? {}) as Readonly<Record<string, readonly Primitive[]>>);
      const [name, levels] = pairs[0] ?? [];
      if (pairs.length !== 1 || !Array.isArray(levels) || levels.length !== 2) {
        throw new BenchbookError('study', "'effect' needs one factor and two of its levels.", {
          place,
          hint: `write effect('${checked}', { factor: ['a', 'b'] })`,
        });
      }
      for (const level of levels) checkFilter({ [name!]: level }, study, 'effect', place);
      const [level, against] = levels as [Primitive, Primitive];
      return new ExpressionData({
        op: 'effect',
        metric: checked,
        factor: name!,
        level,
        against,
        where: checkFilter(where, study, 'effect', place),
        place,
      });
    },
    outcome: (outcome: unknown, at: unknown, as: unknown = 'count') => {
      const place = here();
      if (!OUTCOMES.includes(outcome as TrialOutcome)) {
        throw new BenchbookError('study', `'outcome' knows no outcome '${String(outcome)}'.`, {
          place,
          hint: suggestion(String(outcome), OUTCOMES),
        });
      }
      if (as !== 'count' && as !== 'share')
        throw new BenchbookError('study', `'outcome' gives 'count' or 'share', not '${String(as)}'.`, { place });
      return new ExpressionData({
        op: 'outcome',
        outcome: outcome as TrialOutcome,
        as,
        at: checkWholeCell(at, study, 'outcome', place),
        place,
      });
    },
    figure: { interval: figure('interval'), line: figure('line'), strip: figure('strip') },
    table: (options: Given) => {
      const place = here();
      checkOptions(options, ['metrics', 'where', 'title'], 'table', place);
      const metrics = (Array.isArray(options.metrics) ? options.metrics : []).map((metric) =>
        checkMetric(metric, study, 'table', place),
      );
      if (metrics.length === 0)
        throw new BenchbookError('study', "'table' names no metrics.", {
          place,
          hint: 'write table({ metrics: [ … ] })',
        });
      const title = options.title === undefined ? {} : { title: partsOf(options.title, place) };
      return block({
        type: 'table',
        metrics,
        where: checkFilter(options.where, study, 'table', place),
        ...title,
        place,
      });
    },
    claim: (id: unknown, sentence: unknown, check: unknown, options: { kind?: ClaimKind } = {}) => {
      const place = here();
      if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(id)) {
        throw new BenchbookError('study', `A claim's id must be a word such as 'less-memory', not '${String(id)}'.`, {
          place,
        });
      }
      if (claimIds.has(id))
        throw new BenchbookError('study', `Two claims have the id '${id}'.`, {
          place,
          hint: 'give each an id of its own: later runs are compared by it',
        });
      claimIds.add(id);
      if (typeof sentence !== 'string' || sentence.trim() === '')
        throw new BenchbookError('study', `Claim '${id}' has no sentence.`, { place });
      if (!(check instanceof CheckData)) {
        throw new BenchbookError('study', `Claim '${id}' has no condition.`, {
          place,
          hint: 'end it with a check, such as ratio(…).below(0.8)',
        });
      }
      const kind = options.kind ?? 'property';
      if (kind !== 'property' && kind !== 'defect') {
        throw new BenchbookError('study', `Claim '${id}' has an unknown kind '${String(kind)}'.`, {
          place,
          hint: suggestion(String(kind), ['property', 'defect']),
        });
      }
      return block({
        type: 'claim',
        id,
        sentence,
        check: check.check,
        expression: printCheck(check.check),
        kind,
        place,
      });
    },
  };
}

function block(value: DraftBlock): BlockWord {
  return { block: value };
}

function checkOptions(options: Given, known: readonly string[], word: string, place: Place): void {
  if (typeof options !== 'object' || options === null)
    throw new BenchbookError('study', `'${word}' needs its options as an object.`, { place });
  const wrong = Object.keys(options).find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new BenchbookError('study', `'${word}' has no option '${wrong}'.`, { place, hint: suggestion(wrong, known) });
}

function partsOf(text: unknown, place: Place): Parts {
  if (typeof text === 'string') return [text];
  const inner = (text as TextWord | null)?.text;
  if (Array.isArray(inner)) return inner as Parts;
  throw new BenchbookError('study', 'A title or caption must be a string or text`…`.', { place });
}

function parts(strings: readonly string[], values: readonly unknown[], place: Place): Parts {
  const result: (string | Expression)[] = [];
  strings.forEach((text, index) => {
    if (text !== '') result.push(text);
    if (index >= values.length) return;
    const value = values[index];
    if (value instanceof ExpressionData) result.push(value.expression);
    else if (typeof value === 'string') result.push(value);
    else if (typeof value === 'number') {
      throw new BenchbookError(
        'study',
        `The prose holds the typed number ${value}: measured numbers are computed, others are written as text.`,
        {
          place,
          hint: 'use stat(…) or ratio(…), or write it into the text itself',
        },
      );
    } else
      throw new BenchbookError('study', 'The prose holds something that is neither text nor a computed number.', {
        place,
      });
  });
  return result;
}

/** The indentation common to all lines of a template literal is the study's layout, not Markdown code. */
function dedent(strings: readonly string[]): string[] {
  const lines = strings.join('…').split('\n').slice(1);
  const depths = lines.filter((line) => line.trim() !== '').map((line) => /^ */.exec(line)![0].length);
  const depth = Math.min(...depths);
  if (!Number.isFinite(depth) || depth === 0) return [...strings];
  return strings.map((text) => text.replaceAll(`\n${' '.repeat(depth)}`, '\n'));
}
