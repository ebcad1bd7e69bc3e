import { analyze } from '../../analysis/analysis.ts';
import { claimsOf, decideClaim, isUnwanted } from '../../report/claims.ts';
import { readRun, shownRun } from './report-run.ts';

/** For each claim of a run that is not as its kind wants it, a sentence. One that is inconclusive fails nothing. */
export async function failedClaims(runDirectory: string): Promise<readonly string[]> {
  const { entries, draft } = shownRun(await readRun(runDirectory, null));
  const analysis = analyze(entries, draft);
  return claimsOf(draft)
    .map((claim) => decideClaim(claim, analysis))
    .filter(isUnwanted)
    .map(({ id, kind, verdict, sentence }) => `claim ${id} is ${verdict}, and it is a ${kind}: ${sentence}`);
}
