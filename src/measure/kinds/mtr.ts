import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type AnalyzeSummary, parseAnalyzeJson } from '../../formats/plans/analyze-json.ts';
import { parseMtr } from '../../formats/tools/mtr.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import type { Measurement, Metric } from '../../study/types.ts';
import type { Readings, TrialContext } from '../context.ts';
import { checkMtrOptions } from '../tools/mtr-options.ts';
import { optionsOf, text } from '../tools/options.ts';
import { runAccounted } from '../tools/run-with-rusage.ts';

const MTR = {
  testTime: { unit: 's', better: 'lower', title: 'time of the test by mtr', resolution: 0.001 },
  wall: { unit: 's', better: 'neither', title: 'wall time of mtr with its own set-up', resolution: 0.0001 },
} as const satisfies Readonly<Record<string, Metric>>;

const OF_ANALYSIS = {
  Time: { unit: 's', better: 'lower', title: 'execution time in the server', resolution: 0.000001 },
  PagesAccessed: { unit: '1', better: 'lower', title: 'pages accessed' },
  PagesRead: { unit: '1', better: 'lower', title: 'pages read' },
  ReadTime: { unit: 's', better: 'lower', title: 'time waiting for page reads', resolution: 0.000001 },
} as const satisfies Readonly<Record<string, Metric>>;

type Name<A extends string> = keyof typeof MTR | `${A}${keyof typeof OF_ANALYSIS}`;

const shape = z.strictObject({
  options: z.array(z.string()).default([]),
  analyses: z
    .array(z.string().regex(/^[a-z]\w*$/i, 'a name is a word such as "first"'))
    .refine((names) => new Set(names).size === names.length, 'names one twice')
    .default([]),
});

/** mtr would take a name that begins with a dash for one of its options. */
const testName = text.regex(/^[^-]/, 'a test must not begin with a dash');

type Params = z.output<typeof shape> & { readonly test: string };

export interface MtrOptions<A extends string> {
  /** Options of mtr: `['--mysqld=--innodb-buffer-pool-size=128M']`. */
  readonly options?: readonly string[];
  /** Names for what ANALYZE FORMAT=JSON prints in the test, in order: `['first', 'second']` gives `firstTime`, `secondPagesRead`. */
  readonly analyses?: readonly A[];
}

/**
 * A test of the server's own test suite, run by the build's own mtr on a server that mtr starts with many variables of its
 * choice: the variant's options don't apply, and what it measures is comparable with other runs of mtr alone. `test` is the
 * path of a file, or a name such as `main.1st`. Where the build brings no mtr, nothing is reported, with the reason.
 */
export function mtr<const A extends string = never>(
  test: string,
  options: MtrOptions<A> = {},
): Measurement<Name<NoInfer<A>>> {
  const params: Params = {
    test: optionsOf('measure.mtr', testName, test),
    ...optionsOf('measure.mtr', shape, options),
  };
  checkMtrOptions(params.options);
  const analyses = params.analyses.flatMap((name) =>
    Object.entries(OF_ANALYSIS).map(
      ([metric, about]) => [`${name}${metric}`, { ...about, title: `${name}: ${about.title}` }] as const,
    ),
  );
  const metrics = { ...MTR, ...Object.fromEntries(analyses) };
  return { kind: 'mtr', params, metrics: metrics as Readonly<Record<Name<A>, Metric>> };
}

export async function measureMtr(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const params = measurement.params as Params;
  const script = await scriptOf(context);
  if (script === null) {
    const reason = "this build brings no mtr; servers.debian('bookworm', { packages: ['mariadb-test'] }) does.";
    return { values: {}, missing: Object.fromEntries(Object.keys(measurement.metrics).map((name) => [name, reason])) };
  }
  const folder = await mkdtemp(join(plainFolder(), 'benchbook_mtr_'));
  try {
    const which = await testArguments(params.test, folder, context);
    const places = [`--vardir=${join(folder, 'var')}`, `--tmpdir=${join(folder, 'tmp')}`];
    const ended = await runAccounted({
      argv: ['perl', script, '--nocheck-testcases', '--force', ...params.options, ...places, ...which],
      cwd: dirname(script),
      env: context.build.env,
      signal: context.signal,
    });
    return readingsOf(params, ended);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** mtr takes a hyphen or comma in the path of a suite for the end of its name. */
function plainFolder(): string {
  return /[-,]/.test(tmpdir()) ? '/tmp' : tmpdir();
}

/** mtr finds all programs by its own place: those of a build from packages must be the ones that start with its libraries. */
async function scriptOf({ build }: TrialContext): Promise<string | null> {
  // Loaded here: a study that is only read looks at no build.
  const { programsOf, TEST_SUITES } = await import('../../server/programs.ts');
  const base = await programsOf(build);
  if (base === null) return null;
  const scripts = TEST_SUITES.flatMap((place) =>
    ['mariadb-test-run.pl', 'mysql-test-run.pl'].map((name) => join(base, place, name)),
  );
  return scripts.find((script) => existsSync(script)) ?? null;
}

/** A file becomes the only test of a suite of its own, without expected results: so mtr prints what the test says. */
async function testArguments(
  test: string,
  folder: string,
  { studyDirectory = '.' }: TrialContext,
): Promise<readonly string[]> {
  if (!test.endsWith('.test')) return [test];
  const file = resolve(studyDirectory, test);
  if (!existsSync(file)) throw new BenchbookError('measure', `There is no test file ${file}.`);
  const name = basename(file, '.test');
  const suite = join(folder, 'suite', 't');
  await mkdir(suite, { recursive: true });
  for (const ending of ['test', 'opt', 'cnf', 'combinations']) {
    const from = join(dirname(file), `${name}.${ending}`);
    if (existsSync(from)) await copyFile(from, join(suite, `${name}.${ending}`));
  }
  return [`--suite=${dirname(suite)}`, name];
}

function readingsOf(params: Params, ended: Awaited<ReturnType<typeof runAccounted>>): Readings {
  const output = `${ended.stdout}\n${ended.stderr}`;
  const { result, seconds, comment, analyses } = parseMtr(output);
  if (result !== 'pass' || seconds === null) {
    const why = comment === '' ? '' : `: ${comment}`;
    const how = result === 'unknown' ? 'mtr did not run the test' : `mtr says "${result}" of the test`;
    throw new BenchbookError('measure', `${how}${why}`, { evidence: { 'mtr output': output } });
  }
  const values: Record<string, number> = { testTime: seconds, wall: ended.wallSeconds };
  const missing: Record<string, string> = {};
  params.analyses.forEach((name, index) => {
    const said = analyses[index] === undefined ? null : read(analyses[index], output);
    for (const [metric, value] of Object.entries(analysisValues(said))) {
      if (value !== null) values[`${name}${metric}`] = value;
      else
        missing[`${name}${metric}`] =
          said === null ? `the test printed ${analyses.length} analyses.` : 'this version does not print it.';
    }
  });
  return { values, missing, artefacts: [{ name: 'mtr output', text: ended.stdout }] };
}

function analysisValues(said: AnalyzeSummary | null): Readonly<Record<keyof typeof OF_ANALYSIS, number | null>> {
  return {
    Time: said?.totalSeconds ?? null,
    PagesAccessed: said?.engine?.pagesAccessed ?? null,
    PagesRead: said?.engine?.pagesRead ?? null,
    ReadTime: said?.engine?.readSeconds ?? null,
  };
}

function read(analysis: string, output: string): AnalyzeSummary {
  try {
    return parseAnalyzeJson(analysis);
  } catch (cause) {
    throw new BenchbookError('measure', `An analysis in mtr's output could not be read: ${sentenceOf(cause)}`, {
      cause,
      evidence: { 'mtr output': output },
    });
  }
}
