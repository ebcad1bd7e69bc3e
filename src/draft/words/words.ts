import { placeInStack } from '../../lib/source-location.ts';
import type { Study } from '../../study/study.ts';
import { blockWords } from './block-words.ts';
import { figureWords } from './figure-words.ts';
import { numberWords } from './number-words.ts';
import type { WordContext } from './parts.ts';

/** The words that a study's report is written with: each checks its names and yields data. `displayFile` names the study in places. */
export function wordsFor(study: Study, displayFile: string): Readonly<Record<string, unknown>> {
  const here = () => ({ ...placeInStack(new Error('here'), study.file), file: displayFile });
  const context: WordContext = { study, here };
  return { params: study.params, ...blockWords(context), ...numberWords(context), figure: figureWords(context) };
}
