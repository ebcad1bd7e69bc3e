import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { render } from '../../src/render/render.ts';
import type { Block, Document } from '../../src/report/document.ts';
import { styleGuide } from '../render/style-guide.ts';

/*
 * Speed and memory of rendering: `npx tsx test/bench/render.bench.ts`. Prints one line a case.
 *   1 the style guide to HTML; 2 about 100 pages to PDF; 3 about 500.
 * A million samples have a bench of their own, million-report.bench.ts.
 */
async function measure(name: string, document: Document, formats: readonly ('html' | 'pdf' | 'csv')[]): Promise<void> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'benchbook-bench-'));
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const files = await render({ document, directory, formats, progress: () => undefined });
  const seconds = (performance.now() - start) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  const cpuSeconds = (cpu.user + cpu.system) / 1e6;
  const sizes = files
    .map((file) => `${file.format} ${(file.bytes / 1e6).toFixed(2)} MB ${file.skipped ?? ''}`)
    .slice(0, 3);
  const peakMib = process.resourceUsage().maxRSS / 1024;
  console.log(
    `${name}: ${seconds.toFixed(2)} s (${cpuSeconds.toFixed(2)} s of CPU in Node.js), peak ${peakMib.toFixed(0)} MiB; ${sizes.join(', ')}`,
  );
  await rm(directory, { recursive: true });
}

function manyPages(sections: number): Document {
  const guide = styleGuide();
  const figures = guide.sections.filter((block) => block.type === 'figure');
  const blocks = Array.from({ length: sections }, (_, index): Block[] => [
    { type: 'heading', level: 2, text: `Section ${index + 1}`, id: `section-${index}` },
    { type: 'prose', content: ['The quick brown server starts over the lazy buffer pool. '.repeat(40)] },
    { ...figures[index % figures.length]!, id: `fig-${index}`, number: index + 1 } as Block,
    { type: 'table', id: `tab-${index}`, number: index + 1, title: ['Memory'], table: 'rss', notes: [] },
  ]);
  return { ...guide, sections: blocks.flat() };
}

await measure('style guide to HTML', styleGuide(), ['html']);
await measure('style guide to HTML, warm', styleGuide(), ['html']);
await measure('about 100 pages to PDF', manyPages(80), ['pdf']);
if (process.argv.includes('--long')) await measure('about 500 pages to PDF', manyPages(400), ['pdf']);
