import { execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { documentOf } from '../../src/cli/report/report-run.ts';
import { latexTable } from '../../src/render/formats/latex.ts';
import { render } from '../../src/render/render.ts';
import type { Table } from '../../src/report/document.ts';

const QUICKSTART = join(import.meta.dirname, '../../output/gallery/quickstart');

function table(texts: readonly string[], rows: number): Table {
  return {
    name: 't',
    columns: texts.map((title, index) => ({ key: `c${index}`, title, kind: index === 0 ? 'text' : 'number' })),
    rows: Array.from({ length: rows }, (_, row) => texts.map((text, index) => (index === 0 ? text : row + index))),
  };
}

test('letters outside of the fonts of pdflatex are commands or code points, never bytes that it refuses', () => {
  const text = latexTable(table(['δ ≤ 5 × µ → 語 é “a”', 'n'], 1));
  expect(text).toContain('\\ensuremath{\\delta}');
  expect(text).toContain('U+8A9E');
  expect(text).toContain('é “a”');
  expect(text.replace(/[é“”]/g, '')).toMatch(/^[\t\n\x20-\x7e]*$/);
});

test('a long table goes on over pages, and a wide one comes in parts that begin with what names the rows', () => {
  expect(latexTable(table(['a', 'b'], 41))).toContain('\\begin{longtable}');
  expect(latexTable(table(['a', 'b'], 40))).toContain('\\begin{tabular}');
  const wide = latexTable(table(['name', ...Array.from({ length: 30 }, (_, index) => `effective value ${index}`)], 3));
  const parts = wide.split('\\toprule').slice(1);
  expect(parts.length).toBeGreaterThan(1);
  for (const part of parts) expect(part).toMatch(/^\n\\shortstack\[l\]\{name\}/);
});

const compilers = ['/usr/bin/pdflatex', '/usr/bin/lualatex'].filter((path) => {
  try {
    accessSync(path);
    return true;
  } catch {
    return false;
  }
});

// TeX is too big for the set-up: where it is installed, the tables of a run are set for real.
test.skipIf(compilers.length === 0)('tables/all.tex is set by pdflatex and lualatex', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-latex-'));
  const document = await documentOf(QUICKSTART, null);
  await render({ document, directory, formats: ['tex'], progress: () => undefined });
  for (const compiler of compilers)
    await promisify(execFile)(compiler, ['-interaction=nonstopmode', '-halt-on-error', 'all.tex'], {
      cwd: join(directory, 'tables'),
    });
  await rm(directory, { recursive: true });
});
