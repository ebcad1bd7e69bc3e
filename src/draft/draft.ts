import { BenchbookError } from '../lib/errors.ts';
import { placeOfWords } from '../lib/source-location.ts';
import { suggestion } from '../lib/suggestions.ts';
import { numericLabel } from '../lib/units.ts';
import { callStudy } from '../study/call.ts';
import type { Study } from '../study/study.ts';
import type { Draft, DraftBlock, DraftFactor } from './types.ts';
import { allBlocks, textsOf } from './walk.ts';
import { blocksFrom } from './words/block-words.ts';
import { partsOf } from './words/parts.ts';
import { wordsFor } from './words/words.ts';

/**
 * Runs a study's report function once and keeps what it says as JSON: prose, figures and expression trees, every name checked.
 *
 * @throws BenchbookError `study` with the line of the study's file
 */
export function makeDraft(study: Study, displayFile: string): Draft {
  const first = Object.fromEntries(study.factors.map((factor) => [factor.name, factor.levels[0]!.value]));
  return {
    title: study.title,
    tickets: study.tickets,
    factors: study.factors.map(draftFactor),
    baseline: study.baseline,
    metrics: study.metrics,
    measurements: Object.fromEntries(
      Object.entries(study.measurements(first)).map(([name, { kind, params }]) => [
        name,
        { kind, params: params ?? {} },
      ]),
    ),
    replicates: study.replicates,
    threshold: study.threshold,
    ...findingText(study, displayFile),
    blocks: blocksOf(study, displayFile),
    source: { file: displayFile, text: study.sourceText },
  };
}

function draftFactor(factor: Study['factors'][number]): DraftFactor {
  const labels = factor.levels.map((level) => level.label);
  const numbers = labels.map(numericLabel);
  const numeric = labels.length > 1 && numbers.every((number) => number !== null) ? (numbers as number[]) : null;
  return { name: factor.name, within: factor.within, labels, numeric };
}

function blocksOf(study: Study, displayFile: string): DraftBlock[] {
  const place = placeOfWords(study.file, study.sourceText, ['report']);
  const written = callStudy('report', study, () => study.report(wordsFor(study, displayFile)));
  const blocks = blocksFrom(written, "The study's 'report'", place);
  checkReferences(blocks);
  return blocks;
}

/** The study's own words for what it found; nothing where it leaves them to the report. */
function findingText(study: Study, displayFile: string): Pick<Draft, 'verdict'> {
  const { verdict } = study;
  if (verdict === undefined) return {};
  const place = placeOfWords(study.file, study.sourceText, ['verdict']);
  return {
    verdict: partsOf(
      callStudy('verdict', study, () => verdict(wordsFor(study, displayFile))),
      place,
    ),
  };
}

/** Every `ref` names a figure or table that is there, and no two have the same id. */
function checkReferences(blocks: readonly DraftBlock[]): void {
  const all = allBlocks(blocks);
  const ids = all.flatMap((block) =>
    (block.type === 'figure' || block.type === 'table') && block.id !== undefined ? [block.id] : [],
  );
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw new BenchbookError('study', `Two figures or tables have the id '${twice}'.`);
  for (const part of all.flatMap(textsOf).flat()) {
    if (typeof part === 'string' || part.op !== 'reference' || ids.includes(part.id)) continue;
    throw new BenchbookError('study', `'ref' names '${part.id}', which is no figure or table of this report.`, {
      place: part.place,
      hint: suggestion(part.id, ids),
    });
  }
}
