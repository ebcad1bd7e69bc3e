import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BundleRequest, type BundleResult, bundleRun } from '../../src/bundle/bundle.ts';
import { reportRun } from '../../src/cli/report/report-run.ts';
import type { Entry, JsonValue } from '../../src/journal/entry.ts';
import { readJournal } from '../../src/journal/read.ts';
import { openJournal } from '../../src/journal/write.ts';
import { withoutSecrets } from '../../src/lib/secrets.ts';
import { findChromium } from '../../src/render/chromium.ts';
import { benchbook } from '../cli/cli.ts';

const GALLERY = join(import.meta.dirname, '../../output/gallery/quickstart');
/** Each where it would stand in a real run; none may be found in any file of a redacted bundle. */
const PRIVATE =
  /(?<![a-z])alice(?![a-z])|builder7|acme|192\.168\.44\.5|2001:db8:|hunter22|secret-project|ghp_|@corp\.example\.net/i;

let work = '';
let run = '';
beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'benchbook-bundle-test-'));
  run = join(work, 'run');
  await plant(run);
});
afterAll(() => rm(work, { recursive: true, force: true }));

/** Text without packed data, in which any four letters stand somewhere. */
function readable(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('utf8')
    .replace(/[A-Za-z0-9+/=]{120,}/g, '');
}

describe('a bundle', () => {
  test('holds the run folder, commands, script and checksums, and has the same bytes again', async () => {
    const first = await bundled('plain.zip');
    const second = await bundled('plain-again.zip');
    expect(second.bytes.equals(first.bytes)).toBe(true);
    const names = [...first.files.keys()];
    for (const name of [
      'README.txt',
      'SHA256SUMS',
      'commands.txt',
      'journal.jsonl',
      'run.json',
      'report.html',
      'study.ts',
      'data/samples.csv',
      'reproduce/reproduce.sh',
      'reproduce/variants/1-pool-128M/my.cnf',
    ])
      expect(names).toContain(name);
    const sums = text(first.files, 'SHA256SUMS').trim().split('\n');
    expect(sums.length).toBe(names.length - 1);
    for (const line of sums) {
      const [sum, name] = line.split('  ') as [string, string];
      expect(createHash('sha256').update(first.files.get(name)!).digest('hex'), name).toBe(sum);
    }
  });

  test('is the same in another time zone', async () => {
    const before = process.env.TZ;
    const here = await bundled('here.zip');
    process.env.TZ = 'Pacific/Kiritimati';
    const there = await bundled('there.zip').finally(() => {
      if (before === undefined) delete process.env.TZ;
      else process.env.TZ = before;
    });
    expect(there.bytes.equals(here.bytes)).toBe(true);
  });

  test('never holds a secret, redacted or not', async () => {
    const { files } = await bundled('secrets.zip');
    for (const [name, bytes] of files)
      expect(/hunter22|ghp_/.exec(Buffer.from(bytes).toString('latin1')), name).toBeNull();
  });

  test('leaves the least important out until it fits, says what, and refuses what cannot fit', async () => {
    const whole = await bundled('whole.zip');
    const less = await bundled('less.zip', { maxBytes: whole.bytes.length - 20_000 });
    expect(less.bytes.length).toBeLessThanOrEqual(whole.bytes.length - 20_000);
    expect(less.result.dropped[0]!.what).toContain('further formats');
    expect([...less.files.keys()]).not.toContain('report.json');
    expect(text(less.files, 'README.txt')).toContain('Left out');
    expect([...less.files.keys()]).toContain('journal.jsonl');
    await expect(bundled('none.zip', { maxBytes: 1000 })).rejects.toThrow(/does not fit/);
  });
});

describe('a redacted bundle', () => {
  let files: Awaited<ReturnType<typeof bundled>>['files'];
  let result: BundleResult;
  beforeAll(async () => {
    ({ files, result } = await bundled('redacted.zip', { redact: true }));
  }, 60_000);

  test('holds no private name in any file', () => {
    for (const [name, bytes] of files) expect(PRIVATE.exec(readable(bytes))?.[0], name).toBeUndefined();
  });

  test('nor in what the PDF carries', async () => {
    if (!(await findChromium())) throw new Error('this test needs Chromium: npm test installs it');
    const pdf = await PDFDocument.load(files.get('report.pdf')!);
    const attached = pdf.getAttachments();
    expect(attached.map(({ name }) => name)).toContain('journal.jsonl');
    for (const { name, data } of attached)
      expect(PRIVATE.exec(Buffer.from(data).toString())?.[0], name).toBeUndefined();
  });

  test('uses one stand-in for one name, and leaves longer words alone', () => {
    const journal = text(files, 'journal.jsonl');
    expect(journal).toContain('malice aforethought');
    const user = /\/home\/(user-\d+)\/dir-\d+\/file-\d+\.sql/.exec(journal)![1]!;
    expect(text(files, 'study.ts')).toContain(`by ${user}`);
    expect(text(files, 'report.html')).toContain(user);
    expect(text(files, 'redacted.txt')).toContain(user);
  });

  test('names the journal that it comes from, and tells its author what to look at', async () => {
    const { head } = await readJournal(run);
    expect(text(files, 'journal.jsonl')).toContain(`"redactedFrom":{"head":"${head}"`);
    expect(text(files, 'README.txt')).toContain(head);
    expect(result.redaction!.warnings.join('\n')).toContain('malice');
  });

  test('passes verify when unpacked', async () => {
    const folder = join(work, 'unpacked');
    for (const [name, bytes] of files) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), bytes);
    }
    const verified = await benchbook(work, ['verify', folder]);
    expect(verified.stderr).toBe('');
    expect(verified.stdout).toContain('report reproducible');
  });
});

async function bundled(name: string, request: Partial<BundleRequest> = {}) {
  const result = await bundleRun({
    runDirectory: run,
    fileFor: () => join(work, name),
    redact: false,
    ownNames: { users: new Set(['alice']), hosts: new Set(['builder7']), folders: new Set() },
    render: (directory) =>
      reportRun({
        runDirectory: directory,
        directory,
        // Printing takes seconds, and one test looks into the PDF.
        formats: request.redact ? ['html', 'pdf', 'csv', 'json'] : ['html', 'csv', 'json'],
        draft: null,
        progress: () => {},
      }),
    ...request,
  });
  const bytes = await readFile(join(work, name));
  const files = new Map(
    Object.entries(unzipSync(bytes)).map(([path, data]) => [path.slice(path.indexOf('/') + 1), data]),
  );
  return { result, bytes, files };
}

function text(files: ReadonlyMap<string, Uint8Array>, name: string): string {
  return Buffer.from(files.get(name)!).toString('utf8');
}

/** The kept run of the quickstart, with private names in every kind of place. */
async function plant(to: string): Promise<void> {
  const { entries } = await readJournal(GALLERY);
  const journal = await openJournal(to);
  const log = await journal.putArtefact(
    'error log',
    "Aborted connection by 'alice'@'db2.acme.internal' from 192.168.44.5, [2001:db8::7]:4567; socket: '/srv/acme/run/s'\n",
  );
  let planted = false;
  let study = '';
  const changed = entries.map((entry): Entry => {
    if (entry.type === 'run') {
      const draft = entry.draft as { source: { text: string; file: string } };
      const source = {
        ...draft.source,
        text: `${draft.source.text}\n// by alice: mysql://alice:hunter22@db2.acme.internal/x\n`,
      };
      study = source.text;
      return {
        ...entry,
        command: `${entry.command} --out /home/alice/secret-project`,
        draft: { ...(entry.draft as object), source } as unknown as JsonValue,
      };
    }
    if (entry.type === 'host')
      return {
        ...entry,
        facts: { ...(entry.facts as object), system: { contact: 'alice@corp.example.net', name: 'builder7' } },
      };
    if (entry.type !== 'trial') return entry;
    const cautions = planted
      ? []
      : [
          {
            code: 'x',
            sentence:
              "malice aforethought: alice loaded '/home/alice/secret-project/seed.sql' with token=ghp_abcdefghijklmnopqrstuvwxyz012345",
          },
        ];
    planted = true;
    return {
      ...entry,
      argv: [
        ...(entry.argv ?? []),
        '--report-host=builder7',
        '--init-file=/home/alice/secret-project/seed.sql',
        '--report-password=hunter22',
      ],
      cautions: [...entry.cautions, ...cautions],
      artefacts: [log],
    };
  });
  await journal.append(...changed);
  await journal.close();
  await writeFile(join(to, 'study.ts'), withoutSecrets(study));
  await reportRun({
    runDirectory: to,
    directory: to,
    formats: ['html', 'csv', 'json'],
    draft: null,
    progress: () => {},
  });
}
