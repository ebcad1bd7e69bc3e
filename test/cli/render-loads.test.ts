import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';

// What takes a re-render its time is loading modules: this holds what an HTML report must not wait for.

const PROJECT = path.join(import.meta.dirname, '../..');
let folder = '';
let urls: readonly string[] = [];
/** What they were made from. */
let loaded: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'benchbook-loads-'));
  const list = path.join(folder, 'loaded.txt');
  const hook = path.join(folder, 'hook.mjs');
  await writeFile(
    hook,
    `import { appendFileSync } from 'node:fs';
export async function load(url, context, next) { appendFileSync(${JSON.stringify(list)}, url + '\\n'); return next(url, context); }`,
  );
  const register = `import { register } from 'node:module'; register(${JSON.stringify(pathToFileURL(hook).href)});`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(register)}`, 'src/cli/benchbook.mjs'];
  await promisify(execFile)(
    process.execPath,
    [...args, 'render', 'output/gallery/quickstart', '--format', 'html', '--out', folder],
    { cwd: PROJECT },
  );
  urls = (await readFile(list, 'utf8')).split('\n').filter((url) => url !== '');
  loaded = (await Promise.all(urls.map(sourcesOf))).flat();
});

/** What a compiled file was made from, by its source map; any other file itself. */
async function sourcesOf(url: string): Promise<readonly string[]> {
  if (!url.includes('/.cache/benchbook/')) return [url];
  const { sources } = JSON.parse(await readFile(fileURLToPath(`${url}.map`), 'utf8')) as { sources: string[] };
  return sources.map((source) => new URL(source, url).href);
}

afterAll(() => rm(folder, { recursive: true, force: true }));

test('it is compiled, in few files', async () => {
  expect(loaded.filter((url) => url.includes('/src/render/')).length).toBeGreaterThan(10);
  expect(loaded.filter((url) => url.includes('node_modules/tsx'))).toEqual([]);
});

test('rendering HTML loads nothing that starts servers, prints or fetches', () => {
  const unwanted = [
    'src/server/start',
    'src/run/',
    'src/host/apply.ts',
    'src/host/doctor.ts',
    'node_modules/execa',
    'mysql2',
    'puppeteer',
    'pdf-lib',
  ];
  expect(loaded.filter((url) => unwanted.some((part) => url.includes(part)))).toEqual([]);
});

test('chart, font and prose libraries come as single files', () => {
  expect(loaded.filter((url) => /node_modules\/(vega|d3-|fontkit|markdown-it)/.test(url))).toEqual([]);
  expect(urls.length).toBeLessThan(200);
});
