import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderCommand } from '../../src/cli/commands/render.ts';
import { documentOf } from '../../src/cli/report/report-run.ts';
import { adfReport } from '../../src/render/flow/adf.ts';
import { jiraReport } from '../../src/render/flow/jira.ts';
import { markdownReport } from '../../src/render/flow/markdown.ts';
import { shortened } from '../../src/report/short.ts';

const GALLERY = join(import.meta.dirname, '../../output/gallery');
const FULL = 'https://example.org/full';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-short-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.each(['a-a', 'buffer-pool-startup', 'every-measurement', 'io-bound-scan', 'quickstart', 'storage-engines'])(
  'the short cut of %s',
  (name) => {
    test('fits a comment, leads to the full report, and holds verdict, machine and every claim that is not as it should be', async () => {
      const whole = await documentOf(join(GALLERY, name), null);
      const short = shortened(whole, FULL);
      const jira = jiraReport(short, []);
      expect(Buffer.byteLength(jira)).toBeLessThan(10_000);
      for (const text of [jira, markdownReport(short, 'none'), adfReport(short)]) expect(text).toContain(FULL);
      expect([short.verdict, short.glance, short.lead]).toEqual([whole.verdict, whole.glance, whole.lead]);
      const doubtful = whole.summary.filter(({ group }) => group !== 'wanted').map(({ content }) => content.slice(1));
      expect(short.summary.map(({ content }) => content.slice(1))).toEqual(expect.arrayContaining(doubtful));
      // No link leads into parts that it leaves out.
      expect(markdownReport(short, 'none')).not.toMatch(/\]\(<?#/);
    });
  },
);

test('render --cut short writes two to three pages beside the full report, and leaves that as it is', async () => {
  const run = join(GALLERY, 'buffer-pool-startup');
  await renderCommand(run, { cut: 'short', format: 'md,pdf', out: folder, link: FULL });
  expect((await readdir(folder)).filter((each) => each.startsWith('report')).sort()).toEqual([
    'report-short.md',
    'report-short.pdf',
  ]);
  expect(await readFile(join(folder, 'report-short.md'), 'utf8')).toContain(FULL);
  const { stdout } = await promisify(execFile)('pdfinfo', [join(folder, 'report-short.pdf')]);
  const pages = Number(/^Pages: +(\d+)/m.exec(stdout)![1]);
  expect(pages).toBeGreaterThanOrEqual(2);
  expect(pages).toBeLessThanOrEqual(3);
});

test('only reports can be cut, and to lengths that exist', async () => {
  const run = join(GALLERY, 'quickstart');
  await expect(renderCommand(run, { cut: 'short', format: 'md,csv', out: folder })).rejects.toThrow(
    '--cut short is for reports, and csv holds data, which stay whole.',
  );
  await expect(renderCommand(run, { cut: 'shrt', out: folder })).rejects.toThrow("--cut takes no 'shrt'.");
});
