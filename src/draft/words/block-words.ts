import { BenchbookError, type Place } from '../../lib/errors.ts';
import { suggestion } from '../../lib/suggestions.ts';
import type { ClaimKind } from '../../study/expression.ts';
import type { BlockWord, TextWord } from '../../study/report-words.ts';
import { printCheck } from '../print.ts';
import type { DraftBlock } from '../types.ts';
import { checkFilter, checkMetric } from './checked-names.ts';
import { CheckData } from './expressions.ts';
import { checkOptions, dedent, type Given, partsFrom, partsOf, ReferenceData, type WordContext } from './parts.ts';

/** Prose, tables, claims, remarks and what holds other blocks. */
export function blockWords({ study, here }: WordContext): Readonly<Record<string, unknown>> {
  const claimIds = new Set<string>();
  return {
    md: (text: TemplateStringsArray, ...values: unknown[]) => {
      const place = here();
      return block({ type: 'prose', parts: partsFrom(dedent(text), values, place), place });
    },
    text: (text: TemplateStringsArray, ...values: unknown[]): TextWord => ({
      text: partsFrom([...text], values, here()),
    }),
    ref: (id: unknown) => new ReferenceData({ op: 'reference', id: String(id), place: here() }),
    table: (options: Given) => {
      const place = here();
      checkOptions(options, ['id', 'metrics', 'where', 'title'], 'table', place);
      const metrics = (Array.isArray(options.metrics) ? options.metrics : []).map((metric) =>
        checkMetric(metric, study, 'table', place),
      );
      if (metrics.length === 0)
        throw new BenchbookError('study', "'table' names no metrics.", {
          place,
          hint: 'write table({ metrics: [ … ] })',
        });
      const id = options.id === undefined ? {} : { id: String(options.id) };
      const title = options.title === undefined ? {} : { title: partsOf(options.title, place) };
      return block({
        type: 'table',
        ...id,
        metrics,
        where: checkFilter(options.where, study, 'table', place),
        ...title,
        place,
      });
    },
    claim: (id: unknown, sentence: unknown, check: unknown, options: Given = {}) => {
      const place = here();
      checkOptions(options, ['kind', 'weight'], 'claim', place);
      const name = claimId(id, claimIds, place);
      if (typeof sentence !== 'string' || sentence.trim() === '')
        throw new BenchbookError('study', `Claim '${name}' has no sentence.`, { place });
      if (!(check instanceof CheckData)) {
        throw new BenchbookError('study', `Claim '${name}' has no condition.`, {
          place,
          hint: 'end it with a check, such as ratio(…).below(0.8)',
        });
      }
      const kind = oneOf(
        options.kind ?? 'property',
        ['property', 'defect'] as const satisfies readonly ClaimKind[],
        `Claim '${name}' has an unknown kind`,
        place,
      );
      const isHeadline = options.weight !== undefined;
      if (isHeadline) oneOf(options.weight, ['headline'] as const, `Claim '${name}' has an unknown weight`, place);
      return block({
        type: 'claim',
        id: name,
        sentence,
        check: check.check,
        expression: printCheck(check.check),
        kind,
        ...(isHeadline ? { weight: 'headline' } : {}),
        place,
      });
    },
    callout: (kind: unknown, title: unknown, text: unknown) => {
      const place = here();
      const known = oneOf(kind, ['note', 'caution'] as const, "'callout' knows no kind", place);
      return block({ type: 'callout', kind: known, title: String(title), parts: partsOf(text, place), place });
    },
    code: (language: unknown, text: unknown, title?: unknown) =>
      block({
        type: 'code',
        language: String(language),
        text: String(text),
        ...(title === undefined ? {} : { title: String(title) }),
        place: here(),
      }),
    details: (summary: unknown, blocks: unknown) => {
      const place = here();
      return block({
        type: 'details',
        summary: String(summary),
        blocks: blocksFrom(blocks, "'details'", place),
        place,
      });
    },
    part: (title: unknown, needs: unknown, blocks: unknown) => {
      const place = here();
      if (typeof title !== 'string' || title.trim() === '' || !Array.isArray(needs) || needs.length === 0) {
        throw new BenchbookError('study', "'part' wants a title, a list of the cells that it needs, and blocks.", {
          place,
          hint: "write part('Title', [{ factor: 'level' }], [ … ])",
        });
      }
      return block({
        type: 'part',
        title,
        needs: needs.map((cell) => checkFilter(cell, study, 'part', place)),
        blocks: blocksFrom(blocks, "'part'", place),
        place,
      });
    },
    tabs: (tabs: Given) => {
      const place = here();
      const list = Object.entries(tabs ?? {}).map(([title, blocks]) => ({
        title,
        blocks: blocksFrom(blocks, `Tab '${title}'`, place),
      }));
      if (list.length === 0)
        throw new BenchbookError('study', "'tabs' has no tabs.", { place, hint: 'write tabs({ title: [ … ] })' });
      return block({ type: 'tabs', tabs: list, place });
    },
  };
}

/** The blocks that a study wrote, each checked to be one. */
export function blocksFrom(written: unknown, where: string, place: Place): DraftBlock[] {
  if (!Array.isArray(written)) {
    throw new BenchbookError('study', `${where} must return or hold a list of blocks.`, {
      place,
      hint: 'write [md`…`, …]',
    });
  }
  return written.map((each, index) => {
    const block = (each as { block?: DraftBlock } | null)?.block;
    if (block) return block;
    throw new BenchbookError('study', `Entry ${index + 1} of ${where} is no block.`, {
      place,
      hint: 'each is one of md`…`, figure.…(), table(), claim() and the like',
    });
  });
}

function claimId(id: unknown, taken: Set<string>, place: Place): string {
  if (typeof id !== 'string' || !/^[a-z0-9][a-z0-9-]*$/.test(id)) {
    throw new BenchbookError('study', `A claim's id must be a word such as 'less-memory', not '${String(id)}'.`, {
      place,
    });
  }
  if (taken.has(id)) {
    throw new BenchbookError('study', `Two claims have the id '${id}'.`, {
      place,
      hint: 'give each an id of its own: later runs are compared by it',
    });
  }
  taken.add(id);
  return id;
}

function oneOf<T extends string>(given: unknown, known: readonly T[], sentence: string, place: Place): T {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  throw new BenchbookError('study', `${sentence} '${String(given)}'.`, {
    place,
    hint: suggestion(String(given), known),
  });
}

function block(value: DraftBlock): BlockWord {
  return { block: value };
}
