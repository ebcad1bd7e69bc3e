import MarkdownIt from 'markdown-it';
import { expect, test } from 'vitest';
import { drawFigures } from '../../src/render/figures/figure-set.ts';
import { adfReport } from '../../src/render/flow/adf.ts';
import { jiraReport } from '../../src/render/flow/jira.ts';
import { markdownReport } from '../../src/render/flow/markdown.ts';
import { latexTable } from '../../src/render/formats/latex.ts';
import { htmlReport } from '../../src/render/page/html.ts';
import type { Block, Document } from '../../src/report/document.ts';
import { styleGuide } from './style-guide.ts';

/** Ways in which an author's Markdown, a label or a server's text asks for something from elsewhere. */
const ASKING: readonly string[] = [
  '![i](http://h.example/i.png)',
  '!\\[i](http://h.example/i.png)',
  '\\![i](http://h.example/i.png)',
  'Look![here](http://h.example/i.png)',
  '**bold!**[x](http://h.example/i.png)',
  '*a !* ![x](http://h.example/i.png)',
  '![a ![b](http://h.example/b.png)](http://h.example/a.png)',
  '[![i](http://h.example/i.png)](http://h.example/)',
  '![i][ref]\n\n[ref]: http://h.example/i.png',
  '![](http://h.example/i.png)',
  '| a |\n| --- |\n| ![i](http://h.example/i.png) |',
  '- ![i](http://h.example/i.png)',
  '> !\n> [i](http://h.example/i.png)',
  '<img src="http://h.example/i.png">',
  '<iframe src=//h.example></iframe>',
  '!http://h.example/i.png!',
  '[x](http://h.example/!i.png!)',
  '{{< figure src="http://h.example/i.png" >}}',
  '\\includegraphics{http://h.example/i.png}',
];

function documentWith(text: string): Document {
  const table = { name: 't', columns: [{ key: text, title: text, kind: 'text' as const }], rows: [[text]] };
  const sections: Block[] = [
    { type: 'heading', level: 2, text, id: 'h' },
    { type: 'prose', content: [text] },
    { type: 'callout', kind: 'note', title: text, content: [text] },
    { type: 'facts', items: [{ term: text, text }] },
    { type: 'table', id: 't', title: [text], caption: [text], table: 't', notes: [text] },
  ];
  return {
    ...styleGuide(),
    title: text,
    summary: [{ verdict: 'supported', content: [text] }],
    tickets: [text],
    sections,
    appendices: [],
    tables: { t: table },
  };
}

test.each(ASKING)('no format loads anything for %j', (text) => {
  const document = documentWith(text);
  const html = htmlReport(document, new Map(), { isStatic: true });
  expect(html).not.toMatch(/<(?:img|image|iframe|object|embed|link|video|audio|source)\b|url\(\s*["']?(?!data:)/i);
  const markdown = markdownReport(document, 'none');
  const page = new MarkdownIt({ html: true, linkify: true }).render(markdown);
  expect(page).not.toMatch(/<(?:img|iframe)\b/);
  expect(jiraReport(document, []).replace(/\\./g, '')).not.toMatch(/![^\s!|][^!\n]*!/);
  expect(adfReport(document)).not.toMatch(/"type":"(?:media|mediaSingle|inlineCard|blockCard|embedCard|extension)"/);
  expect(latexTable(document.tables.t!)).not.toMatch(/\\(?:includegraphics|input|href|url)\b/);
});

test('an image of an author is a link with its words, in every format', () => {
  const document = documentWith('See ![the picture](http://h.example/i.png).');
  expect(htmlReport(document, new Map(), { isStatic: true })).toContain(
    '<p>See <a href="http://h.example/i.png" rel="noopener noreferrer">the picture</a>.</p>',
  );
  expect(markdownReport(document, 'none')).toContain('See [the picture](<http://h.example/i.png>).');
  expect(jiraReport(document, [])).toContain('See [the picture|http://h.example/i.png].');
});

test.each([
  { mark: { type: 'image', url: 'http://h.example/i.png', width: 9, height: 9 } },
  { mark: { type: 'bar', fill: 'url(http://h.example/p.svg#p)' } },
  { mark: { type: 'point', href: 'http://h.example/' } },
  { mark: 'bar', config: { font: 'url(http://h.example/f)' } },
])('a figure of an author’s own specification asks for nothing: %j', async (own) => {
  const guide = styleGuide();
  const figure = guide.sections.find((block) => block.type === 'figure')!;
  const encoding = { x: { field: 'pool' }, y: { field: 'rss' } };
  const spec = { data: figure.spec.data, ...own, encoding };
  const document: Document = { ...guide, summary: [], sections: [{ ...figure, spec }], appendices: [] };
  const { wide } = [...(await drawFigures(document)).values()][0]!;
  expect(wide).not.toMatch(/<image|url\((?!#)/);
});
