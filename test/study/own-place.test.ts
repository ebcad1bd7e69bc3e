import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import * as api from '../../src/index.ts';
import { makePlan } from '../../src/plan/plan.ts';
import { inputsOf, keyOf } from '../../src/run/reuse/keys.ts';
import { resolveVariant } from '../../src/run/variants.ts';
import type { Build } from '../../src/server/build.ts';
import { loadStudy } from '../../src/study/load.ts';
import type { Study } from '../../src/study/study.ts';

const SHA = 'a'.repeat(64);
const FILES = {
  'my.study.ts': `#!/usr/bin/env benchbook
import { dataset, defineStudy, load, measure, servers } from 'benchbook';
import { here, helper, whole } from './lib/places.ts';
const own = { url: import.meta.url, dirname: import.meta.dirname, filename: import.meta.filename, resolved: import.meta.resolve('./rows.csv') };
const { url: again } = import.meta;
export default defineStudy({
  title: 'import.meta.url is a text here',
  variants: { factors: { server: { fixed: servers.git({ repository: '../server', ref: 'main', patches: ['patches/a.patch'] }), archive: servers.tarball('x.tgz', { sha256: '${SHA}' }), far: servers.git({ repository: 'git@example.org:server.git', ref: 'main' }), bin: servers.installed('bin/mariadbd'), net: servers.tarball('https://example.org/x.tgz', { sha256: '${SHA}' }) } } },
  setup: (v) => ({
    server: v.server,
    env: { HERE: import.meta.dirname + '/init.sql' },
    data: dataset({ name: 'rows', schema: 'CREATE TABLE t (a INT)', order: 'a', load: [load.file('t', 'rows.csv'), load.script('more/dump.sql'), load.command('./load.sh', '{socket}')], preparedBy: servers.installed('bin/old') }),
  }),
  measurements: { mine: measure.custom({ metrics: { n: { unit: '1', better: 'lower' } }, params: { own, again, here, helper, whole, folder: __dirname, file: __filename }, run: async () => { return { n: import.meta.url.length }; } }) },
  report: () => [],
} as never);
`,
  'lib/places.ts': `import { place } from './old.cjs';
const __filename = 'a name of its own';
export const here = [import.meta.url, __dirname, __filename];
export const helper = place;
export const whole = Object.keys(import.meta).sort();
`,
  'lib/old.cjs': `'use strict';\nexports.place = [__dirname, __filename];\n`,
  'rows.csv': '1\n2\n',
  'more/dump.sql': 'INSERT INTO t VALUES (1);',
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-place-'));
  for (const place of ['one', "two/it's $here"]) {
    for (const [name, text] of Object.entries(FILES)) {
      const path = join(folder, place, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const studyIn = (place: string) => loadStudy(join(folder, place, 'my.study.ts'), api);
const variantsOf = (study: Study) => makePlan(study, { seed: 1 }).variants.map((one) => resolveVariant(study, one));

test.each(['one', "two/it's $here"])('a file of a study knows its own place: %s', async (place) => {
  const here = join(folder, place);
  const [variant] = variantsOf(await studyIn(place));
  const { params } = variant!.stages([{}])[0]!.measurements.mine!;
  const file = join(here, 'my.study.ts');
  expect(params).toEqual({
    own: {
      url: pathToFileURL(file).href,
      dirname: here,
      filename: file,
      resolved: pathToFileURL(join(here, 'rows.csv')).href,
    },
    again: pathToFileURL(file).href,
    here: [pathToFileURL(join(here, 'lib/places.ts')).href, join(here, 'lib'), 'a name of its own'],
    helper: [join(here, 'lib'), join(here, 'lib/old.cjs')],
    whole: ['dirname', 'filename', 'resolve', 'url'],
    folder: here,
    file,
  });
  expect((await studyIn(place)).title).toBe('import.meta.url is a text here');
});

test('relative paths are relative to the study file, addresses stay what they are', async () => {
  const here = join(folder, 'one');
  const study = await studyIn('one');
  const setups = variantsOf(study).map(({ setup }) => setup);
  expect(setups.map(({ server }) => server)).toEqual([
    { source: 'git', repository: join(folder, 'server'), ref: 'main', patches: [join(here, 'patches/a.patch')] },
    { source: 'tarball', location: join(here, 'x.tgz'), sha256: SHA },
    { source: 'git', repository: 'git@example.org:server.git', ref: 'main' },
    { source: 'installed', path: join(here, 'bin/mariadbd') },
    { source: 'tarball', location: 'https://example.org/x.tgz', sha256: SHA },
  ]);
  expect(study.factors[0]!.levels.map(({ value }) => value)).toEqual(setups.map(({ server }) => server));
  expect(setups[0]!.data).toMatchObject({
    load: [
      { file: join(here, 'rows.csv') },
      { file: join(here, 'more/dump.sql') },
      { argv: ['./load.sh', '{socket}'], cwd: here },
    ],
    preparedBy: { path: join(here, 'bin/old') },
  });
});

test('a study that was moved has the same code hash and the same keys', async () => {
  const keysIn = async (place: string) => {
    const study = await studyIn(place);
    const build = { id: 'build', version: '10.11' } as Build;
    const inputs = await Promise.all(variantsOf(study).map((variant) => inputsOf(study, variant, build, {}, folder)));
    return [study.codeHash, ...inputs.map(keyOf)];
  };
  const one = await keysIn('one');
  expect(one[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(await keysIn("two/it's $here")).toEqual(one);
});
