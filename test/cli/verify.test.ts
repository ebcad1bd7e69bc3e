import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PDFDocument } from '@cantoo/pdf-lib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { noisy, prose, stat } from '../report/compare/runs.ts';
import { benchbook, directoryWith } from './cli.ts';
import { saveRun } from './saved.ts';

// `verify` prints the PDF once more where the Chromium that printed it is at hand.

const cell = { pool: '1G' };
let directory = '';
let pdfFile = '';
let asPrinted = Buffer.alloc(0);

beforeAll(async () => {
  directory = await directoryWith({});
  const columns = [{ cell, build: '11.8', values: { 'startup.ready': noisy(0.5), 'memory.rss': noisy(2e8) } }];
  const folder = await saveRun(directory, { columns, blocks: [prose('Ready in ', stat('startup.ready', cell), '.')] });
  pdfFile = join(folder, 'report.pdf');
  const made = await benchbook(directory, ['render', 'unit', '--format', 'html,pdf', '--paper', 'Letter']);
  expect(made).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('report.pdf') });
  asPrinted = await readFile(pdfFile);
}, 120_000);

afterAll(() => rm(directory, { recursive: true, force: true }));

test('the PDF comes out with the same bytes, on the same paper, in another time zone and locale', async () => {
  const elsewhere = { TZ: 'Pacific/Kiritimati', LC_ALL: 'de_DE.UTF-8', LANG: 'de_DE.UTF-8' };
  const result = await benchbook(directory, ['verify', 'unit'], elsewhere);
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/reproducible:.*report\.pdf/) });
}, 120_000);

test('a PDF that was edited fails', async () => {
  const pdf = await PDFDocument.load(asPrinted, { updateMetadata: false });
  pdf.setTitle('Another title');
  await writeFile(pdfFile, await pdf.save());
  const result = await benchbook(directory, ['verify', 'unit']);
  expect(result.exitCode).toBe(2);
  expect(result.stderr).toMatch(/report\.pdf is not what its journal and draft render to/);
  expect((await benchbook(directory, ['verify', 'unit', '--no-pdf'])).stdout).toContain(
    'not compared: report.pdf, as asked',
  );
}, 120_000);

test('a PDF of another Chromium is not compared, and both are named', async () => {
  const pdf = await PDFDocument.load(asPrinted, { updateMetadata: false });
  pdf.setProducer('Chromium 1.2.3.4');
  await writeFile(pdfFile, await pdf.save());
  const result = await benchbook(directory, ['verify', 'unit']);
  expect(result.exitCode).toBe(0);
  expect(result.stdout).toMatch(
    /not compared: report\.pdf, which Chromium 1\.2\.3\.4 printed, and Chromium [\d.]+ is here/,
  );
}, 120_000);

test('where no Chromium answers, that is said', async () => {
  await writeFile(pdfFile, asPrinted);
  const result = await benchbook(directory, ['verify', 'unit'], { PUPPETEER_EXECUTABLE_PATH: '/nowhere/chromium' });
  expect(result).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('and no Chromium is here') });
}, 120_000);
