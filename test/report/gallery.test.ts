import { readdirSync, statSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { galleryIndex } from '../../src/cli/report/index-page.ts';
import { documentOf, reportRun } from '../../src/cli/report/report-run.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { drawFigures } from '../../src/render/figures/figure-set.ts';
import { htmlReport } from '../../src/render/page/html.ts';

const GALLERY = join(import.meta.dirname, '../../output/gallery');

const RUNS = readdirSync(GALLERY, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));
const MOST_BYTES = 2 * 2 ** 20;

test('the index page leads to every run, with the claims as they stand', async () => {
  const page = await readFile(join(GALLERY, 'index.html'), 'utf8');
  expect(await galleryIndex(GALLERY)).toBe(page);
  for (const name of RUNS) expect(page).toContain(`href="${name}/report.html"`);
});

describe.each(RUNS)('gallery: %s', (name) => {
  const folder = join(GALLERY, name);

  test('holds no file that is too large to be kept or attached', async () => {
    const files = await readdir(folder, { recursive: true, withFileTypes: true });
    const sizes = files.flatMap((file) =>
      file.isFile() ? [[file.name, statSync(join(file.parentPath, file.name)).size] as const] : [],
    );
    expect(sizes.filter(([, size]) => size > MOST_BYTES)).toEqual([]);
  });

  test('its journal and logs are intact', async () => {
    expect((await verifyJournal(folder)).lines).toBeGreaterThan(10);
  });

  test('renders to the same bytes', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'benchbook-gallery-'));
    try {
      await reportRun({ runDirectory: folder, directory, formats: ['html'], draft: null, progress: () => {} });
      expect((await readFile(join(directory, 'report.html'))).equals(await readFile(join(folder, 'report.html')))).toBe(
        true,
      );
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test.runIf(name === 'quickstart')('stays within the sizes that a ticket takes', async () => {
    const document = await documentOf(folder, null);
    const figures = await drawFigures(document);
    expect(Buffer.byteLength(htmlReport(document, figures, { isStatic: true }))).toBeLessThan(400_000);
    expect(Buffer.byteLength(htmlReport(document, figures, { isStatic: false }))).toBeLessThan(1_600_000);
  });

  test('names nothing of the machine that made it', async () => {
    const text = await readFile(join(folder, 'journal.jsonl'), 'utf8');
    expect(text).not.toMatch(/"[^"]*\/(home|root|tmp|work)\/[a-z]/);
  });
});
