import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { PDFDict, PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { tableCsv } from '../../src/render/formats/csv.ts';
import { finishPdf } from '../../src/render/pdf/pdf-finish.ts';
import { type RenderedFile, render } from '../../src/render/render.ts';
import type { Block, Column } from '../../src/report/document.ts';
import { styleGuide } from './style-guide.ts';

let folder = '';
let files: readonly RenderedFile[] = [];
const extraFiles = [{ name: 'journal.jsonl', bytes: Buffer.from('{"type":"run"}\n'), description: 'the journal' }];

async function renderPdf(directory: string, limitMs = 150_000): Promise<readonly RenderedFile[]> {
  return await render({
    document: styleGuide(),
    directory,
    formats: ['html', 'pdf'],
    extraFiles,
    pdfTimeLimitMs: limitMs,
    progress: () => undefined,
  });
}

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-pdf-'));
  files = await renderPdf(folder);
}, 180_000);

afterAll(() => rm(folder, { recursive: true, force: true }));

test('the PDF is tagged, has an outline, a language, the run’s date and the embedded files', async () => {
  expect(files.map((file) => file.skipped)).toEqual([undefined, undefined]);
  const pdf = await PDFDocument.load(await readFile(path.join(folder, 'report.pdf')), { updateMetadata: false });
  const { catalog } = pdf;
  expect(catalog.lookup(PDFName.of('MarkInfo'), PDFDict).get(PDFName.of('Marked'))?.toString()).toBe('true');
  expect(catalog.has(PDFName.of('StructTreeRoot'))).toBe(true);
  expect(catalog.get(PDFName.of('Lang'))?.toString()).toContain('en');
  expect(catalog.lookup(PDFName.of('Outlines'), PDFDict).has(PDFName.of('First'))).toBe(true);
  expect(pdf.getCreationDate()?.toISOString()).toBe('2026-11-30T12:42:30.000Z');
  expect(pdf.getTitle()).toBe(styleGuide().title);
  const attached = new Map(pdf.getAttachments().map((file) => [file.name, Buffer.from(file.data).toString()]));
  expect([...attached.keys()].sort()).toEqual(['journal.jsonl', 'samples.csv']);
  expect(attached.get('samples.csv')).toBe(tableCsv(styleGuide().tables.samples!));
  expect(attached.get('journal.jsonl')).toBe('{"type":"run"}\n');
});

test('poppler reads it: fonts embedded, page numbers, running title, every dense row up to the limit', async () => {
  const file = path.join(folder, 'report.pdf');
  const fonts = await run('pdffonts', [file]);
  const lines = fonts.trim().split('\n').slice(2);
  expect(lines.length).toBeGreaterThanOrEqual(5);
  for (const line of lines) expect(line).toMatch(/ yes (yes|no) (yes|no) +\d+/);
  const text = await run('pdftotext', ['-layout', file, '-']);
  const pages = text.split('\f').slice(0, -1);
  pages.forEach((page, index) => {
    expect(page).toContain(`${index + 1} / ${pages.length}`);
    if (index > 0) expect(page).toContain('Start-up time and resident memory of an idle server');
  });
  // The head of a table stands on each of its pages.
  const withRows = pages.filter((page) => /^ *t0\d\d /m.test(page));
  expect(withRows.length).toBeGreaterThan(1);
  for (const page of withRows) expect(page).toMatch(/trial +block +server +pool +outcome/);
  for (let trial = 1; trial <= 63; trial++) expect(text).toContain(`t${String(trial).padStart(3, '0')}`);
  expect(await run('pdfinfo', ['-struct', file])).toMatch(/Table[\s\S]*TH[\s\S]*Figure|Figure[\s\S]*Table/);
});

test('figures have an alternative text, and links lead within the file', async () => {
  const pdf = await PDFDocument.load(await readFile(path.join(folder, 'report.pdf')), { updateMetadata: false });
  const objects = pdf.context
    .enumerateIndirectObjects()
    .flatMap(([, object]) => (object instanceof PDFDict ? [object] : []));
  const is = (object: PDFDict, key: string, value: string) => object.get(PDFName.of(key))?.toString() === value;
  const figures = objects.filter((object) => is(object, 'Type', '/StructElem') && is(object, 'S', '/Figure'));
  expect(figures.length).toBeGreaterThanOrEqual(11);
  expect(figures.filter((figure) => !figure.has(PDFName.of('Alt')))).toEqual([]);
  const links = objects.filter((object) => is(object, 'Subtype', '/Link'));
  expect(links.filter((link) => link.has(PDFName.of('Dest'))).length).toBeGreaterThan(8);
});

test('no path of this machine stands in the PDF', async () => {
  const pdf = await PDFDocument.load(await readFile(path.join(folder, 'report.pdf')), { updateMetadata: false });
  const objects = pdf.context.enumerateIndirectObjects().map(([, object]) => object.toString());
  expect(objects.filter((text) => text.includes('file:') || text.includes(os.tmpdir()))).toEqual([]);
});

test('Letter paper; a wide long table is printed in parts, all pages upright and no column lost', async () => {
  const directory = path.join(folder, 'wide');
  const columns = Array.from(
    { length: 16 },
    (_, index): Column => ({ key: `c${index}`, title: `effective value ${index}`, kind: 'number', unit: 'B' }),
  );
  const rows = Array.from({ length: 60 }, (_, row) =>
    columns.map((_column, index) => 1e6 * (row + 1) * (index + 1.2345)),
  );
  const guide = styleGuide();
  const sections: Block[] = [
    { type: 'prose', content: ['Before.'] },
    { type: 'table', id: 'wide', title: ['Wide'], table: 'wide', notes: [] },
    { type: 'prose', content: ['After.'] },
  ];
  const document = {
    ...guide,
    sections,
    appendices: [],
    tables: { ...guide.tables, wide: { name: 'wide', columns, rows } },
  };
  await render({ document, directory, formats: ['pdf'], paper: 'Letter', progress: () => undefined });
  const info = await run('pdfinfo', ['-f', '1', '-l', '99', path.join(directory, 'report.pdf')]);
  const sizes = [...info.matchAll(/^Page +\d+ size: +([\d.]+) x ([\d.]+)/gm)].map(
    (match) => `${match[1]} x ${match[2]}`,
  );
  expect([...new Set(sizes)]).toEqual(['612 x 792']);
  const text = await run('pdftotext', ['-layout', path.join(directory, 'report.pdf'), '-']);
  for (let index = 0; index < columns.length; index += 1) {
    // The last row's value, as it is rounded: no column is cut off at the edge of a page.
    expect(text).toContain(((60e6 * (index + 1.2345)) / 2 ** 20).toFixed(1).slice(0, 4));
  }
});

test('a second rendering, in another folder, time zone and locale, has the same bytes', async () => {
  const other = await mkdtemp(path.join(os.tmpdir(), 'benchbook-pdf-again-'));
  const before = { TZ: process.env.TZ, LANG: process.env.LANG, LC_ALL: process.env.LC_ALL };
  Object.assign(process.env, { TZ: 'Asia/Kathmandu', LANG: 'tr_TR.UTF-8', LC_ALL: 'de_DE.UTF-8' });
  try {
    await renderPdf(other);
    for (const name of ['report.html', 'report.pdf']) {
      expect(sha(await readFile(path.join(other, name))), name).toBe(sha(await readFile(path.join(folder, name))));
    }
  } finally {
    for (const [name, value] of Object.entries(before)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    await rm(other, { recursive: true, force: true });
  }
}, 180_000);

test('the ids of elements do not depend on what else Chromium’s process counted', async () => {
  const printed = (first: number) => {
    const id = (offset: number) => `node${String(first + offset).padStart(8, '0')}`;
    const head = `1 0 obj<</Type/Catalog/Pages 2 0 R/StructTreeRoot 4 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]>>endobj
4 0 obj<</Type/StructTreeRoot/K[5 0 R 6 0 R]/IDTree 7 0 R>>endobj
5 0 obj<</Type/StructElem/S/TH/P 4 0 R/ID(${id(0)})>>endobj
6 0 obj<</Type/StructElem/S/TD/P 4 0 R/ID(${id(3)})/A[<</O/Table/Headers[(${id(0)})]>>]>>endobj
7 0 obj<</Kids[8 0 R]>>endobj
8 0 obj<</Limits[(${id(0)})(${id(3)})]/Names[(${id(0)})5 0 R(${id(3)})6 0 R]>>endobj
`;
    return Buffer.from(`%PDF-1.7\n${head}trailer<</Root 1 0 R/Size 9>>\n%%EOF`, 'latin1');
  };
  const extras = { title: 'T', date: '2026-01-01T00:00:00Z', producer: 'Chromium 1', files: [] };
  const [quiet, busy] = [await finishPdf(printed(698), extras), await finishPdf(printed(12_694), extras)];
  expect(sha(busy)).toBe(sha(quiet));
  const pdf = await PDFDocument.load(busy, { updateMetadata: false });
  const texts = pdf.context.enumerateIndirectObjects().map(([, object]) => object.toString().replace(/\s+/g, ' '));
  const named = texts.filter((text) => text.includes('node')).join('\n');
  expect(named).toMatch(/\/TH .*\/ID \(node00000001\)/);
  expect(named).toMatch(/\/ID \(node00000002\) .*\/Headers \[ \(node00000001\) \]/);
  expect(named).toMatch(/\/Names \[ \(node00000001\) \d+ 0 R \(node00000002\) \d+ 0 R \]/);
});

describe('without a working Chromium the HTML stays and the reason is told', () => {
  afterEach(() => {
    delete process.env.PUPPETEER_EXECUTABLE_PATH;
  });

  async function skipped(script: string | null, limitMs: number): Promise<string> {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'benchbook-nochrome-'));
    const fake = path.join(directory, 'chromium');
    if (script !== null) {
      await writeFile(fake, `#!/bin/sh\n${script}`);
      await chmod(fake, 0o755);
    }
    process.env.PUPPETEER_EXECUTABLE_PATH = fake;
    const [html, pdf] = await renderPdf(directory, limitMs);
    expect(html).toMatchObject({ format: 'html' });
    expect((await readFile(html!.path, 'utf8')).endsWith('</html>\n')).toBe(true);
    expect(pdf).toMatchObject({ format: 'pdf', bytes: 0 });
    await rm(directory, { recursive: true, force: true });
    return pdf!.skipped ?? '';
  }

  const version = 'case "$1" in --version) echo "Chromium 999.0.1.2"; exit 0;; esac\n';

  test('missing', async () => {
    expect(await skipped(null, 5000)).toMatch(/PUPPETEER_EXECUTABLE_PATH names ".*", which is no Chromium/);
  });

  test('crashing at start', async () => {
    expect(await skipped(`${version}echo "no libnss3" >&2; exit 127`, 5000)).toMatch(
      /^Chromium 999\.0\.1\.2 could not print the report/,
    );
  });

  test('hanging', async () => {
    expect(await skipped(`${version}exec sleep 60`, 2000)).toMatch(
      /Chromium 999\.0\.1\.2 could not print the report: .*(2 s|2000 ms)/,
    );
  }, 20_000);
});

async function run(command: string, args: readonly string[]): Promise<string> {
  return (await promisify(execFile)(command, [...args], { maxBuffer: 64e6 })).stdout;
}

function sha(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
