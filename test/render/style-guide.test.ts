import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { drawFigures, figuresIn } from '../../src/render/figures/figure-set.ts';
import { withoutTips } from '../../src/render/figures/svg.ts';
import { adfReport } from '../../src/render/flow/adf.ts';
import { jiraReport } from '../../src/render/flow/jira.ts';
import { markdownReport } from '../../src/render/flow/markdown.ts';
import { htmlReport } from '../../src/render/page/html.ts';
import type { Block } from '../../src/report/document.ts';
import { styleGuide } from './style-guide.ts';

/*
 * Every block and figure type against its expected output, kept as files so that a change shows as a diff.
 * `UPDATE_EXPECTED=1 npx vitest run test/render/style-guide.test.ts` writes them anew: look at the pictures before committing.
 */
const EXPECTED = fileURLToPath(new URL('../cases/style-guide/expected/', import.meta.url));

async function compare(name: string, actual: string): Promise<void> {
  const file = path.join(EXPECTED, name);
  if (process.env.UPDATE_EXPECTED) {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, actual);
  }
  expect(actual).toBe(await readFile(file, 'utf8'));
}

test('every block type stands in the style guide', () => {
  const types = new Set<string>();
  const visit = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      types.add(block.type);
      if (block.type === 'details') visit(block.blocks);
      if (block.type === 'tabs') for (const tab of block.tabs) visit(tab.blocks);
    }
  };
  visit([...styleGuide().sections, ...styleGuide().appendices]);
  const all: Record<Block['type'], true> = {
    heading: true,
    prose: true,
    figure: true,
    table: true,
    claims: true,
    callout: true,
    code: true,
    facts: true,
    details: true,
    tabs: true,
  };
  expect([...types].sort()).toEqual(Object.keys(all).sort());
});

test('HTML, without its fonts and pictures', async () => {
  const document = styleGuide();
  const page = htmlReport(document, await drawFigures(document), { isStatic: true });
  const readable = page
    .replace(/base64,[A-Za-z0-9+/=]+/g, 'base64,…')
    .replace(/sha256-[A-Za-z0-9+/]+(=|&#x3D;)/g, 'sha256-…')
    .replace(/<svg role="img"[\s\S]*?<\/svg>/g, '<svg role="img">…</svg>');
  await compare('report.html', readable);
});

test('Markdown, Jira markup and ADF', async () => {
  await compare('report.md', markdownReport(styleGuide(), 'jekyll'));
  await compare('report.jira.txt', jiraReport(styleGuide(), ['figure-1.png', 'report.pdf']));
  await compare('report.adf.json', `${JSON.stringify(JSON.parse(adfReport(styleGuide())), null, 1)}\n`);
});

test('figures, wide and for a phone', async () => {
  const document = styleGuide();
  const drawn = await drawFigures(document);
  for (const figure of figuresIn(document.sections)) {
    const { wide, narrow } = drawn.get(figure.id)!;
    const lines = (svg: string) => `${withoutTips(svg).replaceAll('><', '>\n<')}\n`;
    await compare(`figures/${figure.id}.svg`, lines(wide));
    await compare(`figures/${figure.id}-narrow.svg`, lines(narrow ?? ''));
  }
});
