import { BenchbookError, type Place } from '../../lib/errors.ts';
import { suggestion } from '../../lib/suggestions.ts';
import type { Study } from '../../study/study.ts';
import type { Cell } from '../../study/types.ts';

/** The metric exists, else a sentence with the nearest right one. */
export function checkMetric(metric: unknown, study: Study, word: string, place: Place): string {
  if (typeof metric === 'string' && Object.hasOwn(study.metrics, metric)) return metric;
  if (metric === undefined || metric === null) throw missing('a metric', Object.keys(study.metrics), word, place);
  throw new BenchbookError('study', `'${word}' names an unknown metric '${String(metric)}'.`, {
    place,
    hint: suggestion(String(metric), Object.keys(study.metrics)),
  });
}

/** The factor exists. */
export function checkFactor(name: unknown, study: Study, word: string, place: Place): string {
  if (typeof name === 'string' && study.factors.some((factor) => factor.name === name)) return name;
  if (name === undefined || name === null)
    throw missing(
      word.startsWith('figure.') ? 'x: a factor' : 'a factor',
      study.factors.map((factor) => factor.name),
      word,
      place,
    );
  throw new BenchbookError('study', `'${word}' names an unknown factor '${String(name)}'.`, {
    place,
    hint: suggestion(
      String(name),
      study.factors.map((factor) => factor.name),
    ),
  });
}

/** What was not given at all is no unknown name. */
function missing(what: string, known: readonly string[], word: string, place: Place): BenchbookError {
  return new BenchbookError('study', `'${word}' needs ${what}.`, {
    place,
    hint: `known: ${known.map((name) => `'${name}'`).join(', ')}`,
  });
}

/** Every factor and level of a partial cell exists; the result is in declared order. */
export function checkFilter(cell: unknown, study: Study, word: string, place: Place): Cell {
  const given = (cell ?? {}) as Cell;
  for (const [name, label] of Object.entries(given)) {
    checkFactor(name, study, word, place);
    const levels = study.factors.find((factor) => factor.name === name)!.levels;
    if (!levels.some((level) => level.label === label)) {
      throw new BenchbookError('study', `'${word}' names an unknown level '${String(label)}' of factor '${name}'.`, {
        place,
        hint: suggestion(
          String(label),
          levels.map((level) => String(level.label)),
        ),
      });
    }
  }
  return Object.fromEntries(
    study.factors
      .filter((factor) => Object.hasOwn(given, factor.name))
      .map((factor) => [factor.name, given[factor.name]!]),
  );
}

/** Exactly one cell: every factor is named that exists there. */
export function checkWholeCell(cell: unknown, study: Study, word: string, place: Place): Cell {
  const filter = checkFilter(cell, study, word, place);
  refuseFree(filter, [], study, word, place);
  return filter;
}

/** Exactly one cell but for one factor, which stays open. */
export function checkCellBut(open: string, cell: unknown, study: Study, word: string, place: Place): Cell {
  const filter = checkFilter(cell, study, word, place);
  if (Object.hasOwn(filter, open))
    throw new BenchbookError('study', `'${word}' runs over '${open}', so that it can't be fixed to a level.`, {
      place,
    });
  refuseFree(filter, [open], study, word, place);
  return filter;
}

function refuseFree(filter: Cell, open: readonly string[], study: Study, word: string, place: Place): void {
  // A factor that a level brings along exists only beside that level.
  const there = study.factors.filter(
    ({ nestedIn }) => nestedIn === undefined || filter[nestedIn.factor] === nestedIn.level,
  );
  const absent = study.factors.find((factor) => Object.hasOwn(filter, factor.name) && !there.includes(factor));
  if (absent) {
    const { factor, level } = absent.nestedIn!;
    throw new BenchbookError(
      'study',
      `'${word}' names '${absent.name}', which exists only where ${factor} is ${level}.`,
      { place },
    );
  }
  const free = there
    .map((factor) => factor.name)
    .filter((name) => !Object.hasOwn(filter, name) && !open.includes(name));
  if (free.length === 0) return;
  throw new BenchbookError('study', `'${word}' must name one cell, but leaves open: ${free.join(', ')}.`, {
    place,
    hint: `add ${free.map((name) => `${name}: …`).join(', ')}`,
  });
}
