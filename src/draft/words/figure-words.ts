import { BenchbookError, type Place } from '../../lib/errors.ts';
import { suggestion } from '../../lib/suggestions.ts';
import { CELL_FIGURES, type CellFigureKind } from '../../study/figure-kinds.ts';
import type { BlockWord } from '../../study/report-words.ts';
import type { Json } from '../../study/types.ts';
import type { DraftFigure } from '../types.ts';
import { callText } from './call-text.ts';
import { checkFactor, checkFilter, checkMetric } from './checked-names.ts';
import { checkOptions, type Given, partsOf, type WordContext } from './parts.ts';

const COMMON = ['id', 'where', 'title', 'caption', 'headline'];
const TABLES = ['samples', 'summaries', 'trials'] as const;

type Common = Pick<DraftFigure, 'type' | 'id' | 'where' | 'title' | 'caption' | 'headline' | 'place' | 'code'>;

/** `figure.interval`, `figure.line` and the rest: figures as data, every name checked. */
export function figureWords({ study, here }: WordContext): Readonly<Record<string, (options: Given) => BlockWord>> {
  const open = (word: string, options: Given, known: readonly string[]): Common & { place: Place } => {
    const place = here();
    checkOptions(options, [...COMMON, ...known], word, place);
    return {
      type: 'figure',
      ...(options.id === undefined ? {} : { id: checkId(options.id, word, place) }),
      where: checkFilter(options.where, study, word, place),
      ...(options.title === undefined ? {} : { title: partsOf(options.title, place) }),
      ...(options.caption === undefined ? {} : { caption: partsOf(options.caption, place) }),
      ...headlineOf(options.headline, word, place),
      place,
      code: callText(study.sourceText, place),
    };
  };
  const colorOf = (options: Given, word: string, place: Place) =>
    options.color === undefined ? {} : { color: checkFactor(options.color, study, word, place) };

  const ofCells = (kind: CellFigureKind) => (options: Given) => {
    const word = `figure.${kind}`;
    const draws = CELL_FIGURES[kind];
    const isOfTwo = draws === 'medians over two factors';
    const common = open(word, options, ['metric', 'x', 'color', ...(draws === 'samples' ? [] : ['show'])]);
    const { place } = common;
    const show = options.show ?? (isOfTwo && Object.keys(study.baseline).length > 0 ? 'ratio' : 'value');
    if (show !== 'value' && show !== 'ratio') {
      throw new BenchbookError('study', `'${word}' shows 'value' or 'ratio', not '${String(show)}'.`, { place });
    }
    if (show === 'ratio' && Object.keys(study.baseline).length === 0) {
      throw new BenchbookError('study', `'${word}' draws ratios, but the study has no baseline.`, {
        place,
        hint: 'give `variants.baseline` a level',
      });
    }
    if (isOfTwo && options.color === undefined) {
      throw new BenchbookError('study', `'${word}' needs two factors.`, { place, hint: 'give x and color' });
    }
    const metric = checkMetric(options.metric, study, word, place);
    return block({
      ...common,
      kind,
      metric,
      x: checkFactor(options.x, study, word, place),
      ...colorOf(options, word, place),
      show,
    });
  };

  return {
    ...Object.fromEntries((Object.keys(CELL_FIGURES) as CellFigureKind[]).map((kind) => [kind, ofCells(kind)])),
    timeline: (options) => {
      const common = open('figure.timeline', options, ['metric']);
      const metric = checkMetric(options.metric, study, 'figure.timeline', common.place);
      return block({ ...common, kind: 'timeline', metric });
    },
    phases: (options) => {
      const common = open('figure.phases', options, ['x']);
      return block({ ...common, kind: 'phases', x: checkFactor(options.x, study, 'figure.phases', common.place) });
    },
    vega: (options) => {
      const common = open('figure.vega', options, ['spec', 'table', 'alt']);
      const { place } = common;
      const table = TABLES.find((name) => name === options.table);
      if (!table)
        throw new BenchbookError('study', `'figure.vega' draws from no table '${String(options.table)}'.`, {
          place,
          hint: suggestion(String(options.table), TABLES),
        });
      if (typeof options.alt !== 'string' || options.alt.trim() === '') {
        throw new BenchbookError('study', "'figure.vega' needs `alt`: what a reader who can't see it needs.", {
          place,
        });
      }
      return block({ ...common, kind: 'vega', table, spec: plainJson(options.spec, place), alt: options.alt });
    },
  };
}

function checkId(id: unknown, word: string, place: Place): string {
  if (typeof id === 'string' && /^[a-z][a-z0-9-]*$/.test(id)) return id;
  throw new BenchbookError(
    'study',
    `The id of '${word}' must be a word such as 'memory-by-pool', not '${String(id)}'.`,
    { place },
  );
}

function headlineOf(given: unknown, word: string, place: Place): { readonly headline?: true } {
  if (given === undefined || given === false) return {};
  if (given === true) return { headline: true };
  throw new BenchbookError('study', `'headline' of '${word}' is true or left out, not '${String(given)}'.`, { place });
}

/** A specification is data: what JSON can't hold would be lost on the way. */
function plainJson(spec: unknown, place: Place): Json {
  const text =
    typeof spec === 'object' && spec !== null
      ? JSON.stringify(spec, (_key, value) => (typeof value === 'function' ? undefined : value))
      : undefined;
  if (text !== undefined) return JSON.parse(text) as Json;
  throw new BenchbookError('study', "'figure.vega' needs `spec`: a Vega-Lite specification.", { place });
}

function block(figure: DraftFigure): BlockWord {
  return { block: figure };
}
