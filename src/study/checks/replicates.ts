import { BenchbookError, type Place } from '../../lib/errors.ts';
import { placeInStack, placeOfWords } from '../../lib/source-location.ts';
import { suggestion } from '../../lib/suggestions.ts';
import { callStudy } from '../call.ts';
import type { Metric, Replicates, UntilRule, UntilWord } from '../types.ts';

/** Repetitions as the study wrote them: a number, or the bounds of an open number with the rule that ends it. */
type Written =
  | number
  | {
      readonly min: number;
      readonly max: number;
      readonly until?: ((...args: never[]) => unknown) | undefined;
      readonly budgetSeconds?: number | undefined;
      readonly warmUp?: number | undefined;
    };

interface Context {
  readonly metrics: Readonly<Record<string, Metric>>;
  readonly source: { readonly file: string; readonly sourceText: string };
}

/**
 * Repetitions as the engine needs them: the until rule run once, so that it is data.
 *
 * @throws BenchbookError `study` where max is below min, or the rule names an unknown metric
 */
export function replicatesOf(written: Written, context: Context): Replicates {
  if (typeof written === 'number') return { min: written, max: written };
  const { file, sourceText } = context.source;
  const place = placeOfWords(file, sourceText, ['replicates']);
  const { min, max, until, budgetSeconds, warmUp } = written;
  if (max < min) throw new BenchbookError('study', `'replicates' has max ${max} below min ${min}.`, { place });
  return {
    min,
    max,
    ...(until === undefined ? {} : { until: ruleOf(until as (words: unknown) => unknown, context, place) }),
    ...(budgetSeconds === undefined ? {} : { budgetSeconds }),
    ...(warmUp === undefined ? {} : { warmUp }),
  };
}

function ruleOf(until: (words: unknown) => unknown, { metrics, source }: Context, place: Place): UntilRule {
  const halfWidth = (metric: string) => {
    if (!Object.hasOwn(metrics, metric)) {
      const here = placeInStack(new Error('here'), source.file);
      throw new BenchbookError('study', `'until' names an unknown metric '${metric}'.`, {
        place: here.line === undefined ? place : here,
        hint: suggestion(metric, Object.keys(metrics)),
      });
    }
    return { below: (limit: number) => wordOf({ op: 'halfWidth', metric, below: limit }) };
  };
  const rule = (callStudy('until', source, () => until({ halfWidth })) as UntilWord | null | undefined)?.rule;
  if (rule) return rule;
  throw new BenchbookError('study', "'until' must return a rule.", {
    place,
    hint: "write until: ({ halfWidth }) => halfWidth('memory.rss').below(0.02)",
  });
}

function wordOf(rule: UntilRule): UntilWord {
  return {
    rule,
    and: (other) => wordOf({ op: 'and', rules: [rule, other.rule] }),
    or: (other) => wordOf({ op: 'or', rules: [rule, other.rule] }),
  };
}
