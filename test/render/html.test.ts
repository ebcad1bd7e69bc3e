import { expect, test } from 'vitest';
import { drawFigures } from '../../src/render/figure-set.ts';
import { htmlReport } from '../../src/render/html.ts';
import type { Block, Document } from '../../src/report/document.ts';
import { styleGuide } from './style-guide.ts';

async function html(change: Partial<Document> = {}): Promise<string> {
  const document = { ...styleGuide(), ...change };
  return htmlReport(document, await drawFigures(document), { isStatic: true });
}

test('a report is one file that names nothing outside itself', async () => {
  const page = await html();
  const sources = [...page.matchAll(/\s(?:src|srcset|data-src|poster|action)=|url\((?!data:|#)/g)];
  expect(sources.map((match) => match[0])).toEqual([]);
  expect(page).not.toContain('<script');
});

test('two renderings give the same bytes', async () => {
  expect(await html()).toBe(await html());
});

test('every part of a hostile document stays text', async () => {
  const hostile = `</title></style></script><script>alert(1)</script><img src=x onerror=alert(1)>{{title}} [x](javascript:alert(1)) ' "`;
  const sections: Block[] = [
    { type: 'heading', level: 2, text: hostile, id: 'h' },
    { type: 'prose', content: [hostile] },
    { type: 'code', title: hostile, language: hostile, text: hostile },
    { type: 'facts', items: [{ term: hostile, text: hostile }] },
    { type: 'callout', kind: 'note', title: hostile, content: [hostile] },
    { type: 'table', id: 't', title: [hostile], table: 'samples', notes: [hostile] },
    { type: 'details', id: 'd', summary: hostile, blocks: [] },
    { type: 'tabs', tabs: [{ title: hostile, blocks: [] }] },
  ];
  const page = await html({
    title: hostile,
    byline: [hostile],
    tickets: [hostile],
    sections,
    appendices: [],
    studyId: hostile,
    runId: hostile,
  });
  expect(page).not.toMatch(/<script|<img|onerror=alert\(1\)>|href="javascript/i);
  expect(page.match(/<\/style>/g)).toHaveLength(1);
  expect(page.match(/<\/title>/g)).toHaveLength(1);
});

test('prose that refers to a missing anchor is an error that lists those there are', async () => {
  const sections: Block[] = [{ type: 'prose', content: ['see [](#fig-nowhere)'] }];
  await expect(html({ sections, appendices: [] })).rejects.toThrow('Prose refers to "#fig-nowhere"');
});

test('a reference to a figure prints its number', async () => {
  expect(await html()).toContain('<a href="#fig-interval">Figure 1</a>');
});
