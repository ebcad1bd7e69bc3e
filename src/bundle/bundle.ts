import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '../journal/entry.ts';
import { type ReadResult, readJournal } from '../journal/read.ts';
import { withoutSecrets, withoutSecretValues } from '../journal/secrets.ts';
import { writeWhole } from '../render/files.ts';
import { readme, redactedList } from './readme.ts';
import { copyRedacted, type Redaction } from './redact/copy.ts';
import type { PrivateNames } from './redact/names.ts';
import { reproduction } from './reproduce/reproduce.ts';
import { type Shrunk, shrink } from './shrink.ts';
import { type BundleFile, inOrder, zipOf } from './zip.ts';

export interface BundleRequest {
  readonly runDirectory: string;
  /** Where the archive goes, by the name of the folder in it: "quickstart-20261130T132359Z". */
  readonly fileFor: (name: string) => string;
  /** Bytes that the archive may take at most; without end where absent. */
  readonly maxBytes?: number;
  /** Whether names of people and machines, addresses and paths are replaced. Secrets never stay. */
  readonly redact: boolean;
  /** Names of this machine; found where absent. */
  readonly ownNames?: PrivateNames;
  /** Renders a run folder in place: report.html, report.pdf, data/. */
  readonly render: (runDirectory: string) => Promise<unknown>;
}

export interface BundleResult {
  readonly file: string;
  readonly bytes: number;
  readonly files: number;
  readonly dropped: Shrunk['dropped'];
  readonly redaction: Redaction | null;
}

/**
 * One archive for a ticket: the run folder, with a script that tries it again without Benchbook, and checksums.
 *
 *   1 run folder ──► as it is, or a copy without names and secrets, chained anew and rendered anew
 *   2 journal ──► commands, my.cnf, SQL, script
 *   3 least important files out, until it fits
 *   4 README, checksums ──► zip, the same bytes every time
 *
 * @throws BenchbookError `missing` or `journal` where there is no intact journal; `usage` where it cannot fit.
 */
export async function bundleRun(request: BundleRequest): Promise<BundleResult> {
  const staged = await mkdtemp(join(tmpdir(), 'benchbook-bundle-'));
  try {
    const redaction = await redacted(request, staged); // 1
    const folder = redaction === null ? request.runDirectory : staged;
    if (redaction !== null || !(await exists(join(folder, 'report.html')))) await request.render(folder);
    const journal = await readJournal(folder, { torn: 'drop' });
    const list =
      redaction === null || !request.redact
        ? []
        : [{ path: 'redacted.txt', bytes: Buffer.from(redactedList(redaction)) }];
    const files = [...(await runFiles(folder, journal)), ...(await reproduction(journal.entries)), ...list]; // 2
    const name = folderName(journal);
    const { kept, dropped } = shrink(name, files, request.maxBytes ?? Number.MAX_SAFE_INTEGER, RESERVE); // 3
    const text = readme({ entries: journal.entries, head: journal.head, redaction, dropped, files: kept });
    const complete = [...kept, { path: 'README.txt', bytes: Buffer.from(text) }]; // 4
    const bytes = zipOf(name, [...complete, checksums(complete)]);
    const file = request.fileFor(name);
    await writeWhole(file, bytes);
    return { file, bytes: bytes.length, files: complete.length + 1, dropped, redaction };
  } finally {
    await rm(staged, { recursive: true, force: true });
  }
}

/** Of README and checksums, packed: some 60 bytes a file, which hashes can't be packed below. */
const RESERVE = 24_000;

/** A copy where names go, or where secrets were found that an earlier version had written; else null. */
async function redacted(request: BundleRequest, staged: string): Promise<Redaction | null> {
  const { runDirectory, redact, ownNames } = request;
  if (!redact && !(await holdsSecrets(runDirectory))) return null;
  return await copyRedacted(runDirectory, staged, redact, ownNames);
}

async function holdsSecrets(runDirectory: string): Promise<boolean> {
  let count = 0;
  const found = () => {
    count += 1;
  };
  const journal = await readJournal(runDirectory, { torn: 'drop' });
  withoutSecretValues(journal.entries as unknown as JsonValue, found);
  for (const path of ['study.ts', 'draft.json', ...logPaths(journal)]) {
    withoutSecrets(await readFile(join(runDirectory, path), 'utf8').catch(() => ''), found);
  }
  return count > 0;
}

/** What a run folder holds by name: whatever else lies in it stays out. */
async function runFiles(folder: string, journal: ReadResult): Promise<BundleFile[]> {
  const below = async (name: string) =>
    (await readdir(join(folder, name)).catch(() => [] as string[])).map((file) => `${name}/${file}`);
  const paths = [
    'journal.jsonl',
    'run.json',
    'draft.json',
    'study.ts',
    'report.html',
    'report.pdf',
    'report.json',
    'report.md',
    'report.jira.txt',
    'report.adf.json',
    ...(await below('figures')),
    ...(await below('tables')),
    ...(await below('data')),
    ...logPaths(journal),
  ];
  const files = await Promise.all(
    paths.map(async (path) => ({ path, bytes: await readFile(join(folder, path)).catch(() => null) })),
  );
  return files.flatMap(({ path, bytes }) => (bytes === null ? [] : [{ path, bytes }]));
}

/** Only logs that the journal names: a cut-off run may have left others. */
function logPaths({ entries }: ReadResult): string[] {
  const paths = entries.flatMap((entry) => (entry.type === 'trial' ? entry.artefacts.map(({ path }) => path) : []));
  return [...new Set(paths)];
}

function folderName({ entries }: ReadResult): string {
  const [run] = entries;
  return run?.type === 'run' ? `${run.studyId}-${run.runId}` : 'run';
}

function checksums(files: readonly BundleFile[]): BundleFile {
  const lines = inOrder(files).map(
    ({ path, bytes }) => `${createHash('sha256').update(bytes).digest('hex')}  ${path}\n`,
  );
  return { path: 'SHA256SUMS', bytes: Buffer.from(lines.join('')) };
}

async function exists(file: string): Promise<boolean> {
  return (await readFile(file).catch(() => null)) !== null;
}
