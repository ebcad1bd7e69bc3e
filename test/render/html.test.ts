import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import Handlebars from 'handlebars';
import { describe, expect, test } from 'vitest';
import { drawFigures } from '../../src/render/figures/figure-set.ts';
import { htmlReport } from '../../src/render/page/html.ts';
import { highlighted } from '../../src/render/prose/highlight.ts';
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

describe('templates of the user', () => {
  async function own(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'benchbook-templates-'));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), text);
    }
    return folder;
  }

  async function htmlWith(templates: string): Promise<string> {
    const document = {
      ...styleGuide(),
      sections: [{ type: 'callout', kind: 'note', title: '<t>', content: ['x'] }] as Block[],
    };
    return htmlReport(document, await drawFigures(document), { isStatic: true, templates });
  }

  test('one block and one style stand in for ours', async () => {
    const page = await htmlWith(
      await own({ 'html/callout.hbs': '<p class="mine">{{title}}</p>', 'styles/extra.css': ':root{--ink:#123456}' }),
    );
    expect(page).toContain('<p class="mine">&lt;t&gt;</p>');
    expect(page).toContain(':root{--ink:#123456}');
  });

  test('a value that does not exist is an error that names it', async () => {
    await expect(htmlWith(await own({ 'html/callout.hbs': '{{titel}}' }))).rejects.toThrow(/"titel" not defined/);
  });

  test('a style that would make a request is refused', async () => {
    await expect(htmlWith(await own({ 'styles/extra.css': '@import "http://h/x.css";' }))).rejects.toThrow(
      /loads something/,
    );
  });

  test('a folder that does not exist is named', async () => {
    await expect(htmlWith('/nowhere/at/all')).rejects.toThrow('The template folder "/nowhere/at/all" does not exist.');
  });
});

test('our templates never print a value unescaped', async () => {
  const folder = new URL('../../templates/html/', import.meta.url);
  for (const file of await readdir(folder))
    expect(await readFile(new URL(file, folder), 'utf8'), file).not.toMatch(/\{\{\{|\{\{&/);
});

test('a report of two figures stays within its size', async () => {
  const all = styleGuide();
  const sections = all.sections.filter((block) => block.type !== 'figure' || block.number <= 2);
  const document = { ...all, sections };
  const figures = await drawFigures(document);
  expect(Buffer.byteLength(htmlReport(document, figures, { isStatic: true }))).toBeLessThan(400_000);
  expect(Buffer.byteLength(htmlReport(document, figures, { isStatic: false }))).toBeLessThan(1_600_000);
});

test('the sign of a claim follows its kind: a defect that is refuted is good news', async () => {
  const html = htmlReport(styleGuide(), await drawFigures(styleGuide()), { isStatic: true });
  const claim = (id: string) =>
    html
      .slice(html.indexOf(`<li id="${id}"`))
      .split('</svg>', 2)
      .join('')
      .slice(0, 600);
  expect(claim('memory-doubles')).toMatch(/badge-supported.*?Refuted/s);
  expect(claim('small-pool-unchanged')).toMatch(/badge-refuted.*?Refuted/s);
});

describe('code', () => {
  test('is marked up and keeps its text', () => {
    const text = "const a = '</code><b>'; // if <i>\nreturn `x`;";
    const html = highlighted(text, 'typescript');
    expect(html).toContain('<span class="code-keyword">const</span>');
    expect(html).toContain('<span class="code-comment">// if &lt;i&gt;</span>');
    expect(html.replace(/<\/?span[^>]*>/g, '')).toBe(Handlebars.escapeExpression(text));
  });

  test('of any text in any language stays that text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.constantFrom('sql', 'shell', 'ini', 'json', 'log', '__proto__', ''),
        (text, language) => {
          expect(highlighted(text, language).replace(/<\/?span[^>]*>/g, '')).toBe(Handlebars.escapeExpression(text));
        },
      ),
    );
  });
});
