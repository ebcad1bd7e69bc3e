/** What one test run by mtr ended in. */
export interface MtrResult {
  readonly result: 'pass' | 'fail' | 'skipped' | 'disabled' | 'unknown';
  /** As mtr printed it; whole milliseconds. */
  readonly seconds: number | null;
  /** Why it was skipped or failed, where mtr says so. */
  readonly comment: string;
  /** The texts that ANALYZE FORMAT=JSON printed, in order; there where the test has no file of expected results. */
  readonly analyses: readonly string[];
}

/** Reads what `mysql-test-run.pl` prints for one test. */
export function parseMtr(text: string): MtrResult {
  const line = /^\S+ +(?:'[^']*' +)?(?:w\d+ +)?\[ ([a-z-]+) \] *(\d+)?(.*)$/m.exec(text);
  const word = line?.[1]?.replace('retry-', '') ?? 'unknown';
  const known = word === 'pass' || word === 'fail' || word === 'skipped' || word === 'disabled';
  const mysqltest = (/^mysqltest: (At line .*)$/m.exec(text) ?? /^mysqltest: (.*)$/m.exec(text))?.[1];
  return {
    result: known ? word : 'unknown',
    seconds: line?.[2] === undefined ? null : Number(line[2]) / 1000,
    comment: (mysqltest ?? /^mysql-test-run: \*\*\* ERROR: (.*)$/m.exec(text)?.[1] ?? line?.[3] ?? '').trim(),
    analyses: analysesIn(text.split('\n')),
  };
}

/** From a line "{" behind a line "ANALYZE" up to the next line "}". */
function analysesIn(lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  let begin: number | null = null;
  lines.forEach((line, index) => {
    if (begin === null && line === '{' && lines[index - 1] === 'ANALYZE') begin = index;
    if (begin === null || line !== '}') return;
    found.push(lines.slice(begin, index + 1).join('\n'));
    begin = null;
  });
  return found;
}
