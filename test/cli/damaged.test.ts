import { cp, mkdir, readdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundleRun } from '../../src/bundle/bundle.ts';
import { documentOf, reportRun } from '../../src/cli/report/report-run.ts';
import { readChecked } from '../../src/cli/run/checked-run.ts';
import { encodeLine, FIRST_HASH } from '../../src/journal/lines/chain.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { openJournal } from '../../src/journal/write.ts';
import { noisy, prose, runOf, stat as statOf } from '../report/compare/runs.ts';
import { benchbook, directoryWith } from './cli.ts';

// A run folder that is not as its run left it, or that was made to mislead: what each command says and does of it.

const cell = { pool: '1G' };
const columns = [{ cell, build: '11.8', values: { 'startup.ready': noisy(0.5), 'memory.rss': noisy(2e8) } }];
const blocks = [prose('Ready in ', statOf('startup.ready', cell), '.')];
const LOG = 'a line of a log\n';

let directory = '';
let kept = '';

beforeAll(async () => {
  directory = await directoryWith({});
  kept = join(directory, 'kept');
  const journal = await openJournal(kept);
  const artefact = await journal.putArtefact('error log', LOG);
  const { entries } = runOf({ columns, blocks });
  await journal.append(
    ...entries.map((entry) => (entry.type === 'trial' ? { ...entry, artefacts: [artefact] } : entry)),
  );
  await journal.close();
  await writeFile(join(kept, 'study.ts'), '// the study');
  await render(kept);
}, 60_000);
afterAll(() => rm(directory, { recursive: true, force: true }));

let count = 0;
/** A copy of the run, changed. */
async function changed(change: (folder: string) => Promise<void>): Promise<string> {
  count += 1;
  const name = `run-${count}`;
  await cp(kept, join(directory, name), { recursive: true });
  await change(join(directory, name));
  return name;
}

async function withoutLastLine(folder: string): Promise<void> {
  const lines = (await readFile(join(folder, 'journal.jsonl'), 'utf8')).trimEnd().split('\n');
  await writeFile(join(folder, 'journal.jsonl'), `${lines.slice(0, -1).join('\n')}\n`);
}

async function changeLog(folder: string): Promise<void> {
  const [log] = await readdir(join(folder, 'logs'));
  await writeFile(join(folder, 'logs', log!), 'another line\n');
}

const DAMAGES: readonly (readonly [string, (folder: string) => Promise<void>, RegExp])[] = [
  ['a line fewer', withoutLastLine, /the journal ends after/],
  ['no run.json', (folder) => rm(join(folder, 'run.json')), /run\.json is missing/],
  ['a damaged run.json', (folder) => writeFile(join(folder, 'run.json'), '{"head":'), /run\.json is damaged/],
  ['another log', changeLog, /has been changed: its SHA-256/],
  ['another study', (folder) => writeFile(join(folder, 'study.ts'), '// another'), /study\.ts has been changed/],
];

const render = (directory: string) =>
  reportRun({ runDirectory: directory, directory, formats: ['html', 'csv', 'json'], draft: null, progress: () => {} });
const bundled = (name: string, redact = false) =>
  bundleRun({
    runDirectory: join(directory, name),
    fileFor: () => join(directory, `${name}.zip`),
    redact,
    ownNames: { users: new Set(), hosts: new Set(), folders: new Set() },
    render,
  });

describe.each(DAMAGES)('a run with %s', (what, change, says) => {
  test('is found by verify, is no bundle, and its report says so', async () => {
    const name = await changed(change);
    const folder = join(directory, name);
    await expect(verifyJournal(folder)).rejects.toThrow(says);
    for (const redact of [false, true]) await expect(bundled(name, redact)).rejects.toThrow(says);
    expect(await readdir(directory)).not.toContain(`${name}.zip`);
    const checked = await readChecked(folder);
    expect(checked.damage?.message).toMatch(says);
    const document = await documentOf(folder, null, checked);
    expect(JSON.stringify(document.sections[0])).toContain('This run is damaged');
    if (what !== 'a line fewer') return;
    const out = (kind: string) => ['--format', 'html', '--out', `${name}-${kind}`];
    const [rendered, compared, rerun] = [
      await benchbook(directory, ['render', name, ...out('report')]),
      await benchbook(directory, ['compare', 'kept', name, ...out('compared')]),
      await benchbook(directory, ['rerun', name, '--replace', 'pool.1G=debian:trixie']),
    ];
    expect([rendered.exitCode, compared.exitCode, rerun.exitCode]).toEqual([1, 1, 2]);
    for (const { stderr } of [rendered, compared, rerun]) expect(stderr).toMatch(says);
    const page = await readFile(join(directory, `${name}-compared`, 'report.html'), 'utf8');
    expect(page).toContain('This run is damaged');
  }, 120_000);
});

test('a run that was interrupted is not damaged, not even with half a line at its end', async () => {
  const name = await changed(async (folder) => {
    const { head, lines } = JSON.parse(await readFile(join(folder, 'run.json'), 'utf8'));
    await writeFile(join(folder, 'run.json'), JSON.stringify({ head, lines, state: 'open' }));
    await writeFile(join(folder, 'journal.jsonl'), '{"hash":"', { flag: 'a' });
  });
  expect((await readChecked(join(directory, name))).damage).toBeNull();
  await expect(bundled(name)).resolves.toMatchObject({ redaction: null });
  await expect(verifyJournal(join(directory, name))).rejects.toMatchObject({
    hint: 'the same run command drops a torn line and goes on',
  });
});

test('what is torn in a closed run is no advice to go on', async () => {
  const name = await changed((folder) => truncate(join(folder, 'journal.jsonl'), 5000));
  await expect(verifyJournal(join(directory, name))).rejects.toMatchObject({
    message: expect.stringContaining('missing; the journal ends after'),
    hint: expect.stringContaining('begins a new run'),
  });
});

test('an empty journal, a damaged draft.json and deep JSON are errors with a sentence', async () => {
  const empty = await changed((folder) => truncate(join(folder, 'journal.jsonl'), 0));
  const started = await changed(async (folder) => {
    await truncate(join(folder, 'journal.jsonl'), 0);
    await rm(join(folder, 'run.json'));
  });
  for (const name of [empty, started]) {
    for (const redact of [false, true]) await expect(bundled(name, redact)).rejects.toMatchObject({ code: 'journal' });
  }
  const deep = '['.repeat(100_000) + ']'.repeat(100_000);
  for (const text of ['{', '[]', '{"title":1}', deep, '{"title":"x","__proto__":{}}']) {
    const name = await changed((folder) => writeFile(join(folder, 'draft.json'), text));
    for (const redact of [false, true]) await expect(bundled(name, redact)).rejects.toThrow('draft.json is damaged');
  }
});

describe('symbolic links in a run folder', () => {
  let secret = '';
  beforeAll(async () => {
    secret = join(directory, 'secret');
    await mkdir(secret);
    for (const name of ['file', 'x.csv']) await writeFile(join(secret, name), 'PRECIOUS');
  });
  const linked = (name: string, target: string) =>
    changed(async (folder) => {
      await rm(join(folder, name), { recursive: true, force: true });
      await symlink(join(secret, target), join(folder, name));
    });
  const untouched = async () => {
    expect((await readdir(secret)).sort()).toEqual(['file', 'x.csv']);
    for (const name of ['file', 'x.csv']) expect(await readFile(join(secret, name), 'utf8')).toBe('PRECIOUS');
  };

  test.each(['report.md', 'report.html', 'report.html.part', 'data/samples.csv', 'run.json.new', 'figures'])(
    '%s is replaced or left out, and its target neither read nor written',
    async (file) => {
      const name = await linked(file, file === 'figures' ? '.' : 'file');
      await bundled(name);
      await render(join(directory, name));
      const files = Object.values(unzipSync(await readFile(join(directory, `${name}.zip`))));
      for (const bytes of files) expect(Buffer.from(bytes).includes('PRECIOUS')).toBe(false);
      await untouched();
    },
  );

  test.each(['draft.json', 'study.ts', 'journal.jsonl', 'run.json', 'logs'])('%s is refused', async (file) => {
    const name = await linked(file, file === 'logs' ? '.' : 'file');
    for (const redact of [false, true]) await expect(bundled(name, redact)).rejects.toThrow('is a symbolic link');
    if (['journal.jsonl', 'logs'].includes(file))
      await expect(openJournal(join(directory, name))).rejects.toThrow(/symbolic link/);
    await untouched();
  });

  test('a link in place of the folder of tables is refused, and nothing is written there', async () => {
    const name = await linked('data', '.');
    await expect(render(join(directory, name))).rejects.toThrow('data is a symbolic link where a folder must be');
    await untouched();
  });
});

describe('a run of somebody else whose names lead elsewhere', () => {
  /** Chained in order, by hand: the journal's own writer refuses such entries. */
  async function foreign(part: Readonly<Record<string, unknown>>, artefact?: string): Promise<string> {
    count += 1;
    const folder = join(directory, `foreign-${count}`);
    const entries = runOf({ columns, blocks }).entries.map((entry) => {
      if (entry.type === 'run') return { ...entry, ...part };
      if (entry.type !== 'trial' || artefact === undefined) return entry;
      return { ...entry, artefacts: [{ name: 'log', sha256: 'a'.repeat(64), bytes: 1, path: artefact }] };
    });
    let head = FIRST_HASH;
    let text = '';
    for (const entry of entries) {
      const encoded = encodeLine(head, JSON.stringify(entry));
      text += encoded.line;
      head = encoded.hash;
    }
    await mkdir(folder);
    await writeFile(join(folder, 'journal.jsonl'), text);
    await writeFile(join(folder, 'run.json'), JSON.stringify({ head, lines: entries.length, state: 'closed' }));
    return folder;
  }

  test('is refused by every command, and nothing is written', async () => {
    const name = basename(await foreign({ studyId: '../../../../tmp/x' }));
    const before = (await readdir(directory)).sort();
    for (const command of [
      ['merge', name, 'kept'],
      ['compare', 'kept', name],
      ['bundle', name],
    ]) {
      const { stderr, exitCode } = await benchbook(directory, command);
      expect(exitCode).toBe(2);
      expect(stderr).toContain('names no folder');
    }
    expect((await readdir(directory)).sort()).toEqual(before);
  }, 120_000);

  test.each([
    '..',
    '.',
    '',
    'a/b',
    '/tmp/x',
    'compare',
    'Gallery',
    'a\0b',
    'a\nb',
    '.cards',
    ' x',
    'x'.repeat(300),
    '-x',
  ])('study and run called %j', async (name) => {
    for (const part of [{ studyId: name }, { runId: name }]) {
      await expect(readChecked(await foreign(part))).rejects.toThrow('names no folder');
    }
  });

  test.each([
    '../x',
    'logs/../../x',
    '/etc/passwd',
    'run.json',
    'logs/',
    'logs//x',
    'logs/.x',
    'logs/a\\b',
    'logs/a\nb',
  ])('an artefact at %j', async (path) => {
    await expect(readChecked(await foreign({}, path))).rejects.toThrow('is no file of the folder logs/');
  });

  test('a key that names a prototype, a body nested beyond measure, a draft that is none', async () => {
    for (const draft of [JSON.parse('{"__proto__":{"x":1}}'), JSON.parse('['.repeat(1000) + ']'.repeat(1000))]) {
      await expect(readChecked(await foreign({ draft }))).rejects.toThrow(
        /line 1: the body is no JSON that Benchbook reads \((it holds the key '__proto__'|it is nested)/,
      );
    }
    await expect(documentOf(await foreign({ draft: { title: 'x' } }), null)).rejects.toThrow(
      'line 1: the draft is malformed',
    );
  });
});
