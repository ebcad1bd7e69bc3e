import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { replacePaths } from '../../src/bundle/redact/paths.ts';
import { findNames } from '../../src/bundle/redact/private-names.ts';
import { redactor } from '../../src/bundle/redact/redactor.ts';
import { wordsOf } from '../../src/bundle/redact/words.ts';
import { parseInnodbStatus } from '../../src/formats/innodb-status.ts';
import { errorLineOf } from '../../src/formats/logs/error-line.ts';
import { decisiveError, isReadyLine, parseErrorLogLine, withoutIdentity } from '../../src/formats/logs/error-log.ts';
import { startPhases } from '../../src/formats/logs/start-phases.ts';
import { numberOf, sameOptionValue } from '../../src/formats/option-value.ts';
import { parseAnalyzeJson } from '../../src/formats/plans/analyze-json.ts';
import { parseExplainAnalyze } from '../../src/formats/plans/explain-analyze.ts';
import { parseAptSources } from '../../src/formats/tools/apt-sources.ts';
import { parseMtr } from '../../src/formats/tools/mtr.ts';
import { parsePerfReport, parsePerfStat } from '../../src/formats/tools/perf-stat.ts';
import { parseSysbench } from '../../src/formats/tools/sysbench.ts';
import { parseDiskstats, parseKilobyteLines, parseProcIo } from '../../src/lib/process/proc.ts';
import { withoutSecrets, withoutSecretValues } from '../../src/lib/secrets.ts';

const src = new URL('../../src/', import.meta.url);
const nobody = { hosts: ['alpha'], users: ['beta'] } as unknown as Parameters<typeof redactor>[0];
const none = new Set<string>();

/** Everything that reads text of a server, a program or a file, with the file that has its regular expressions. */
const READERS: Readonly<Record<string, readonly [string, (text: string) => unknown]>> = {
  'secrets in a text': ['lib/secrets.ts', withoutSecrets],
  'secrets in fields': ['lib/secrets.ts', (text) => withoutSecretValues({ [text]: text, argv: ['mysql', text] })],
  'private names': ['bundle/redact/private-names.ts', (text) => findNames([text])],
  'private paths': ['bundle/redact/paths.ts', (text) => replacePaths(text, () => 'x')],
  redactor: ['bundle/redact/redactor.ts', (text) => redactor(nobody, none, none).text(text)],
  'words of a journal': ['bundle/redact/words.ts', (text) => wordsOf([text])],
  'ANALYZE FORMAT=JSON': ['formats/plans/loose-json.ts', parseAnalyzeJson],
  'EXPLAIN ANALYZE': ['formats/plans/explain-analyze.ts', parseExplainAnalyze],
  'INNODB STATUS': ['formats/innodb-status.ts', parseInnodbStatus],
  sysbench: ['formats/tools/sysbench.ts', (text) => parseSysbench(`${text}\nSQL statistics:\n${text}`)],
  mtr: ['formats/tools/mtr.ts', parseMtr],
  'perf stat': ['formats/tools/perf-stat.ts', parsePerfStat],
  'perf report': ['formats/tools/perf-stat.ts', parsePerfReport],
  '/proc/PID/io': ['lib/process/proc.ts', parseProcIo],
  '/proc/diskstats': ['lib/process/proc.ts', (text) => parseDiskstats(text, 1, 1)],
  '/proc/PID/status': ['lib/process/proc.ts', parseKilobyteLines],
  'phases of a start': ['formats/logs/start-phases.ts', (text) => startPhases([{ atSeconds: 0, text }])],
  'a line of a log': ['formats/logs/error-log.ts', parseErrorLogLine],
  'a ready line': ['formats/logs/error-log.ts', isReadyLine],
  'a log': ['formats/logs/error-log.ts', (text) => decisiveError(text)],
  'identity in a log': ['formats/logs/error-log.ts', withoutIdentity],
  'output of a program': ['formats/logs/error-line.ts', errorLineOf],
  'apt sources, one line': ['formats/tools/apt-sources.ts', (text) => parseAptSources(text, 'list')],
  'apt sources, stanzas': ['formats/tools/apt-sources.ts', (text) => parseAptSources(text, 'deb822')],
  'an option': ['formats/option-value.ts', (text) => [numberOf(text), sameOptionValue(text, `${text} `)]],
};

/** Words of the regular expressions in a file: what a text must hold to get far into one. */
function wordsIn(file: string): readonly string[] {
  const lines = readFileSync(new URL(file, src), 'utf8').split('\n');
  const patterns = lines.filter(
    (line) => /\/.*\/[gimsuy]*|String\.raw|RegExp/.test(line) && !/^\s*(\*|\/\/|\/\*)/.test(line),
  );
  const found = patterns.join('\n').match(/[A-Za-z][A-Za-z_ -]*[A-Za-z]:?/g) ?? [];
  return [...new Set(found.flatMap((word) => [word, word.split(/[ -]/)[0]!]))].filter((word) => word.length >= 3);
}

const PIECES = [
  ' ',
  '\t',
  '\n',
  '\n ',
  ' \n',
  '1',
  '1,',
  '1.',
  '.',
  'a',
  'A',
  'a.',
  'a-',
  'a b',
  'ab/',
  '"',
  "'",
  '\\',
  '`',
  '(',
  ')',
  '[',
  '[a] ',
  '{',
  '{"',
  ':',
  '::',
  '://',
  'a://',
  '/',
  '//',
  '@',
  'a@',
  "'a'@'",
  '=',
  ';',
  '-',
  '--',
  '--a ',
  '-> ',
  '    -> ',
  '%',
  '<',
  '*',
  '#',
  '[ 1s ] ',
  '"a": "',
  '",\n',
];

function* worstCases(file: string, bytes: number): Generator<readonly [string, string]> {
  const repeat = (piece: string) => piece.repeat(Math.ceil(bytes / piece.length)).slice(0, bytes);
  for (const piece of PIECES) yield [JSON.stringify(piece), repeat(piece)];
  for (const word of wordsIn(file)) {
    for (const end of ['', ' ', '\n', '=', " '", '://']) yield [JSON.stringify(word + end), repeat(word + end)];
    for (const run of [' ', '1', 'a']) yield [`${word} and a run of ${JSON.stringify(run)}`, `${word} ${repeat(run)}`];
  }
}

/** CPU time, so that what else the machine does is no part of it. */
function secondsOf(read: (text: string) => unknown, text: string): number {
  const begin = process.cpuUsage();
  try {
    read(text);
  } catch {
    // A refusal must be quick too.
  }
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1e6;
}

/** Enough that a quadratic reader takes a second, and small enough for thousands of texts. */
const SMALL = 2 ** 15;

describe.each(Object.entries(READERS))('%s', (_, [file, read]) => {
  it('takes time in proportion to the text', () => {
    const slow: string[] = [];
    for (const [name, text] of worstCases(file, SMALL)) {
      if (secondsOf(read, text) < 0.1) continue;
      // Again, since the machine may have been busy: four times the text may take some more than four times as long.
      const best = (size: number) => Math.min(...[1, 2, 3].map(() => secondsOf(read, text.slice(0, size))));
      const [fourth, whole] = [best(SMALL / 4), best(SMALL)];
      if (whole > 0.1 && whole > fourth * 9) slow.push(`${name}: ${(whole * 1000).toFixed(0)} ms`);
    }
    expect(slow).toEqual([]);
  }, 60_000);
});

const of2MB = (piece: string) => piece.repeat(Math.ceil(2 ** 21 / piece.length));

it.each([
  ['a client 350,000 times', of2MB('mysql ')],
  ['a client in JSON', of2MB('"mysql": 1, ')],
  ['words with dots', of2MB('a.')],
  ['words with hyphens', of2MB('a-')],
  ['addresses without a host', of2MB('a://u:')],
  ['options without a value', of2MB('--password ')],
  ['keys without an end', of2MB('-----BEGIN PRIVATE KEY-----\n')],
  ['tokens without an end', of2MB('eyJ-')],
  ['spaces', `password${of2MB(' ')}`],
  ['quotes', `password='${of2MB("''")}`],
] as const)(
  'a line of 2 MB is masked in seconds: %s',
  (_, text) => {
    expect(secondsOf(withoutSecrets, text)).toBeLessThan(8);
    expect(secondsOf((each) => redactor(nobody, none, none).text(each), text)).toBeLessThan(20);
  },
  60_000,
);
