import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { benchbook, directoryWith } from './cli.ts';

const study = (top: string, setup = ''): string => `import { defineStudy, measure, servers } from 'benchbook';
${top}
export default defineStudy({
  title: 't',
  variants: { factors: { a: ['1', '2'] } },
  setup: () => { ${setup}; return { server: servers.installed() }; },
  measurements: { startup: measure.startup() },
  replicates: 2,
  report: () => [],
});
`;

const LATE = "void Promise.reject(new Error('boo')); for (const until = Date.now() + 50; Date.now() < until; );";

let directory = '';
beforeAll(async () => {
  directory = await directoryWith({
    'studies/stray.study.ts': study(LATE),
    'studies/listener.study.ts': study("process.on('exit', () => { process.exitCode = 0; }); throw new Error('z');"),
    'studies/untold.study.ts': study('', "throw { toString() { throw new Error('t'); } }"),
    'studies/waits.study.ts': study('await new Promise(() => undefined);'),
    'studies/leaves.study.ts': study('await 1; process.exit(0);'),
    'studies/proxy.study.ts': study('', "return new Proxy({}, { get() { throw new Error('px'); } }) as never"),
  });
});
afterAll(() => rm(directory, { recursive: true, force: true }));

test.each([
  ['stray', "studies/stray.study.ts:2:21: The study's code threw where nothing awaits it: boo."],
  ['listener', 'studies/listener.study.ts:2:60: The study threw while it was loaded: z.'],
  ['waits', "The study's 'top level' did not return within 1 s. Does it loop or wait without end?"],
  ['leaves', 'studies/leaves.study.ts:2:18: The study threw while it was loaded: it calls process.exit with 0'],
  ['proxy', "The study's 'setup' threw: px."],
  ['untold', "The study's 'setup' threw: a value that cannot be read as a text."],
])(
  'what a study throws is told as its own, and the command fails: %s',
  async (name, sentence) => {
    const { exitCode, stderr } = await benchbook(directory, ['plan', name], { BENCHBOOK_STUDY_SECONDS: '1' });
    expect(stderr).toContain(sentence);
    expect(stderr).not.toContain('error of its own');
    expect(exitCode).toBe(2);
  },
  60_000,
);
