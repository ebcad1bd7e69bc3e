import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonValue } from '../journal/entry.ts';
import { type ReadResult, readJournal } from '../journal/read.ts';
import { type InspectedRun, intactRun } from '../journal/verify.ts';
import { BenchbookError } from '../lib/errors.ts';
import { namesInside, readInside, writeWhole } from '../lib/files/below.ts';
import { withoutSecrets, withoutSecretValues } from '../lib/secrets.ts';
import { filesOf } from '../render/formats.ts';
import { readme, redactedList } from './archive/readme.ts';
import { type Shrunk, shrink } from './archive/shrink.ts';
import { copyRun, logPaths } from './archive/stage.ts';
import { type BundleFile, inOrder, zipOf } from './archive/zip.ts';
import { copyRedacted, type Redaction } from './redact/copy.ts';
import type { PrivateNames } from './redact/private-names.ts';
import { reproduction } from './reproduce/reproduce.ts';

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
  /** Renders a copy of the run folder in place: report.html, report.pdf, data/. */
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
 *   1 run folder ──► checked, then a copy; without names and secrets it is chained anew; reports are rendered anew
 *   2 journal ──► commands, my.cnf, SQL, script
 *   3 least important files out, until it fits
 *   4 README, checksums ──► zip, the same bytes every time
 *
 * @throws BenchbookError `missing` or `journal` where the run is not intact; `usage` where it cannot fit.
 */
export async function bundleRun(request: BundleRequest): Promise<BundleResult> {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-bundle-'));
  try {
    const found = await intactRun(request.runDirectory).catch(refused); // 1
    const redaction = await copied(request, found, folder);
    await request.render(folder);
    const journal = await readJournal(folder);
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
    await rm(folder, { recursive: true, force: true });
  }
}

/** Of README and checksums, packed: some 60 bytes a file, which hashes can't be packed below. */
const RESERVE = 24_000;

function refused(error: unknown): never {
  if (!(error instanceof BenchbookError) || error.code !== 'journal') throw error;
  throw new BenchbookError('journal', `The run is damaged, and no bundle is made of it: ${error.message}`, {
    cause: error,
    ...(error.hint === undefined ? {} : { hint: error.hint }),
  });
}

/** As it is; or a copy where names go, or where secrets were found that an earlier version had written. */
async function copied(request: BundleRequest, found: InspectedRun, to: string): Promise<Redaction | null> {
  const { runDirectory, redact, ownNames } = request;
  if (redact || (await holdsSecrets(runDirectory, found.journal))) {
    return await copyRedacted(found.journal, runDirectory, to, redact, ownNames);
  }
  await copyRun(found, runDirectory, to);
  return null;
}

async function holdsSecrets(runDirectory: string, { entries }: ReadResult): Promise<boolean> {
  let count = 0;
  const found = () => {
    count += 1;
  };
  withoutSecretValues(entries as unknown as JsonValue, found);
  for (const path of ['study.ts', 'draft.json', ...logPaths(entries)]) {
    withoutSecrets((await readInside(runDirectory, path))?.toString('utf8') ?? '', found);
  }
  return count > 0;
}

/** What a run folder holds by name: whatever else lies in it stays out. */
async function runFiles(folder: string, journal: ReadResult): Promise<BundleFile[]> {
  const below = async (name: string) => (await namesInside(folder, name)).map((file) => `${name}/${file}`);
  const paths = [
    'journal.jsonl',
    'run.json',
    'draft.json',
    'study.ts',
    ...filesOf(() => true).map(({ name }) => name),
    ...(await below('figures')),
    ...(await below('tables')),
    ...(await below('data')),
    ...logPaths(journal.entries),
  ];
  const files = await Promise.all(paths.map(async (path) => ({ path, bytes: await readInside(folder, path) })));
  return files.flatMap(({ path, bytes }) => (bytes === null ? [] : [{ path, bytes }]));
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
