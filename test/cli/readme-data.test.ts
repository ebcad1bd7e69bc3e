import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

// The lines of README that load the samples elsewhere, run as they stand there, against the report's own medians.

const PROJECT = join(import.meta.dirname, '../..');
const RUN = join(PROJECT, 'output/gallery/quickstart');

async function codeOf(language: string): Promise<string> {
  const text = await readFile(join(PROJECT, 'README.md'), 'utf8');
  return new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(text)![1]!;
}

async function expected(): Promise<Readonly<Record<string, number>>> {
  const text = await readFile(join(RUN, 'data/summaries.csv'), 'utf8');
  const [head, ...lines] = text.trim().split('\r\n');
  const at = (name: string) => head!.split(',').indexOf(name);
  const rows = lines.map((line) => line.split(','));
  const ready = rows.filter((row) => row[at('metric')] === 'startup.ready');
  return Object.fromEntries(ready.map((row) => [row[at('pool')]!, Number(row[at('median')])]));
}

/** Pairs of a pool and a number in what a program printed. */
function printed(stdout: string): Readonly<Record<string, number>> {
  const pairs = [...stdout.matchAll(/\b(\d+[MG])\s+(\d+\.\d+)/g)];
  return Object.fromEntries(pairs.map(([, pool, median]) => [pool!, Number(median)]));
}

async function isInstalled(program: string): Promise<boolean> {
  return promisify(execFile)(program, ['--version']).then(
    () => true,
    () => false,
  );
}

test.skipIf(!(await isInstalled('python3')))('Python', async () => {
  const { stdout } = await promisify(execFile)('python3', ['-c', await codeOf('python')], { cwd: RUN });
  const medians = await expected();
  expect(Object.keys(medians)).toHaveLength(3);
  for (const [pool, median] of Object.entries(medians)) expect(printed(stdout)[pool]).toBeCloseTo(median, 9);
});

test.skipIf(!(await isInstalled('Rscript')))('R', async () => {
  const { stdout } = await promisify(execFile)('Rscript', ['-e', await codeOf('r')], { cwd: RUN });
  // R prints seven digits.
  for (const [pool, median] of Object.entries(await expected())) expect(printed(stdout)[pool]).toBeCloseTo(median, 5);
});
