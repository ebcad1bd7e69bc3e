import type { Entry } from '../../journal/entry.ts';
import { count } from '../../lib/units.ts';
import { filesOf } from '../../render/formats.ts';
import type { Redaction } from '../redact/copy.ts';
import type { BundleFile } from './zip.ts';

interface ReadmeFacts {
  readonly entries: readonly Entry[];
  readonly head: string;
  readonly redaction: Redaction | null;
  readonly dropped: readonly { readonly what: string; readonly paths: readonly string[]; readonly bytes: number }[];
  readonly files: readonly BundleFile[];
}

/** What is in the bundle, what was left out, and what was replaced. */
export function readme({ entries, head, redaction, dropped, files }: ReadmeFacts): string {
  const run = entries.find((entry) => entry.type === 'run')!;
  const has = (path: string) => files.some((file) => file.path.startsWith(path));
  const contents: readonly (readonly [string, string])[] = [
    ...filesOf(() => true).flatMap(({ name, about }) => (about === undefined ? [] : [[name, about] as const])),
    ['journal.jsonl', 'every sample as measured, hash-chained'],
    ['run.json', "the journal's head hash and number of lines"],
    ['study.ts', 'the study as run'],
    ['data/', 'every table of the report as CSV; samples.csv holds all samples'],
    ['logs/', "servers' logs and other texts, named by SHA-256; the journal names them"],
    ['commands.txt', 'the exact command lines'],
    ['reproduce/', 'reproduce.sh tries a variant without Benchbook; variants/ holds my.cnf and SQL of each'],
    ['SHA256SUMS', 'checksums: sha256sum -c SHA256SUMS'],
  ];
  const lines = [
    `${run.studyId}, run ${run.runId}, made with Benchbook ${run.toolVersion}`,
    `Journal head: ${head}`,
    '',
    ...contents
      .filter(([path]) => path === 'SHA256SUMS' || has(path))
      .map(([path, what]) => `${path.padEnd(14)} ${what}`),
    '',
    'Check it with Benchbook: benchbook verify .   (in this folder)',
    'Try it without: SERVER=/path/to/mariadbd reproduce/reproduce.sh',
    ...droppedLines(dropped),
    ...redactionLines(redaction),
  ];
  return `${lines.join('\n')}\n`;
}

function droppedLines(dropped: ReadmeFacts['dropped']): string[] {
  if (dropped.length === 0) return [];
  const verify = dropped.some(({ paths }) => paths.some((path) => path.startsWith('logs/')))
    ? ['Without the logs, benchbook verify names the first one as missing.']
    : [];
  return [
    '',
    'Left out to keep the size asked for, least important first:',
    ...dropped.map(({ what, paths, bytes }) => `- ${what}: ${count(paths.length, 'file')}, ${count(bytes, 'byte')}`),
    ...verify,
  ];
}

function redactionLines(redaction: Redaction | null): string[] {
  if (redaction === null) return [];
  return [
    '',
    `A redacted copy of the journal with head ${redaction.head}. What was replaced is listed in redacted.txt.`,
  ];
}

/** Stand-ins with their kind and number; the bundle does not say what they replace. */
export function redactedList({ replacements, head }: Redaction): string {
  const rows = replacements.map(
    ({ standIn, kind, times }) => `${standIn.padEnd(14)} ${String(times).padStart(6)}  ${kind}`,
  );
  return [
    `Made from the journal with head ${head}. The same name has the same stand-in in every file.`,
    '',
    `${'stand-in'.padEnd(14)} ${'times'.padStart(6)}  in place of a`,
    ...(rows.length === 0 ? ['nothing was found to replace'] : rows),
    '',
  ].join('\n');
}
