import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import type { Comparison } from '../../report/compare.ts';
import { ratioText } from '../../report/comparison/words.ts';
import { cellText } from '../../report/names.ts';
import { runFolder } from '../places/runs.ts';
import { isUnwanted } from '../report/check.ts';
import { compareRuns } from '../report/compare-runs.ts';
import { formatsOf } from '../report/formats.ts';
import { updateIndex } from '../report/index-page.ts';
import { printFiles } from '../report/print-files.ts';
import { damageText } from '../run/checked-run.ts';
import { tellWithoutEffect, unusedMatches } from '../run/without-effect.ts';
import { EXIT } from '../terminal/exit.ts';

interface CompareOptions {
  readonly match?: readonly string[];
  readonly format?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly check?: boolean;
}

/** `benchbook compare BEFORE AFTER`: a report of its own on what changed, with a verdict per metric and claim. */
export async function compare(beforeWanted: string, afterWanted: string, options: CompareOptions): Promise<number> {
  // Not by the link `latest`, which moves on: the command must mean the same tomorrow.
  const [before, after] = [await realpath(await runFolder(beforeWanted)), await realpath(await runFolder(afterWanted))];
  const match = options.match ?? [];
  const same = before === after ? [`${near(before)} is compared with itself: nothing can differ.`] : [];
  tellWithoutEffect([...same, ...unusedMatches(match)]);
  const { comparison, record, files, damage } = await compareRuns({
    before,
    after,
    match,
    command: [
      'benchbook compare',
      near(before),
      near(after),
      ...(match.length > 0 ? [`--match ${match.join(' ')}`] : []),
    ].join(' '),
    directory: options.out === undefined ? null : resolve(options.out),
    formats: formatsOf(options.format),
  });
  await updateIndex();
  const failed = failures(comparison);
  if (options.json) console.log(JSON.stringify({ ...record, failed }, null, 2));
  else print(comparison, files, options.format === undefined ? [] : formatsOf(options.format));
  for (const sentence of damage) console.error(damageText(sentence));
  if (!options.check || failed.length === 0) return damage.length === 0 ? EXIT.done : EXIT.notAllOk;
  for (const sentence of failed) console.error(`check: ${sentence}`);
  return EXIT.checkFailed;
}

function print({ claims, metrics, comparable }: Comparison, ...files: Parameters<typeof printFiles>): void {
  if (!comparable) console.log('The runs are of two classes of host and not comparable.');
  for (const sentence of metrics.leftOut) console.log(sentence);
  for (const { status, id, sentence } of claims) console.log(`${status.padEnd(12)}  ${id}: ${sentence}`);
  for (const { metric, cell, verdict, ...ratio } of metrics.cells) {
    if (['better', 'worse', 'lower', 'higher'].includes(verdict))
      console.log(`${verdict.padEnd(12)}  ${metric} at ${cellText(cell)}: ${ratioText(ratio)}`);
  }
  printFiles(...files);
}

/** What a CI job must stop for: a claim that is not as its kind wants it, a metric that got worse, or nothing that could be checked. */
function failures({ claims, metrics, comparable }: Comparison): string[] {
  const unwanted = claims.filter(({ after, kind }) => after !== null && isUnwanted({ kind, verdict: after.verdict }));
  const worse = metrics.cells.filter(({ verdict }) => verdict === 'worse');
  const checkable = comparable && metrics.cells.some(({ ratio }) => ratio !== null);
  return [
    ...unwanted.map((claim) => `claim ${claim.id} ${becameOf(claim)}, and it is a ${claim.kind}`),
    ...worse.map(
      ({ metric, cell, ...ratio }) =>
        `${metric} at ${cellText(cell)} is ${ratioText(ratio)} of what it was, beyond the threshold`,
    ),
    ...(checkable ? [] : [comparable ? 'nothing could be compared' : 'the runs are of two classes of host']),
  ];
}

/** The verdict of the run after; where the comparison decides nothing, both, so that none of them passes for its result. */
function becameOf({ before, after, status }: Comparison['claims'][number]): string {
  if (status !== 'inconclusive') return `is ${after!.verdict} (${status})`;
  return `is inconclusive: ${before?.verdict ?? 'absent'} before and ${after!.verdict} after`;
}

function near(path: string): string {
  return relative(process.cwd(), path) || '.';
}
