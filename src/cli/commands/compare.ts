import { realpath } from 'node:fs/promises';
import { relative, resolve } from 'node:path';
import { parseFormats } from '../../render/formats.ts';
import type { RunComparison } from '../../report/compare.ts';
import { failuresOf, findingsOf } from '../../report/comparison-outcome.ts';
import { runFolder } from '../places/runs.ts';
import { compareRuns } from '../report/compare-runs.ts';
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
    formats: parseFormats(options.format),
  });
  await updateIndex();
  const failed = failuresOf(comparison);
  if (options.json) console.log(JSON.stringify({ ...record, failed }, null, 2));
  else print(comparison, files, options.format === undefined ? [] : parseFormats(options.format));
  for (const sentence of damage) console.error(damageText(sentence));
  if (!options.check || failed.length === 0) return damage.length === 0 ? EXIT.done : EXIT.notAllOk;
  for (const sentence of failed) console.error(`check: ${sentence}`);
  return EXIT.checkFailed;
}

function print(comparison: RunComparison, ...files: Parameters<typeof printFiles>): void {
  for (const line of findingsOf(comparison)) console.log(line);
  printFiles(...files);
}

function near(path: string): string {
  return relative(process.cwd(), path) || '.';
}
