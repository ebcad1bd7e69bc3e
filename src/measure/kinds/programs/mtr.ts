import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { type AnalyzeSummary, parseAnalyzeJson } from '../../../formats/plans/analyze-json.ts';
import { parseMtr } from '../../../formats/tools/mtr.ts';
import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import type { Readings, TrialContext } from '../../context.ts';
import { checkMtrOptions } from '../../tools/mtr-options.ts';
import { optionsOf, text } from '../../tools/options.ts';
import { runWithRusage } from '../../tools/run-with-rusage.ts';
import { defineMeasurement } from '../define.ts';

const WORD = {
  name: 'measure.mtr',
  example: "measure.mtr('main.1st', { options: ['--mysqld=--innodb-buffer-pool-size=128M'] })",
};

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
 * A test of the server's own test suite, run by the build's own mtr, in seconds. mtr starts a server of its own with many variables of
 * its choice: the variant's options do not apply, and the result is comparable with other runs of mtr only. A build without mtr
 * reports nothing, with the reason.
 * @param test the path of a test file, or a name such as `main.1st`
 * @throws BenchbookError `study` for a wrong option, or an option of mtr that Benchbook sets itself
 * @example measure.mtr('main.1st', { options: ['--mysqld=--innodb-buffer-pool-size=128M'] })
 */
function declare<const A extends string = never>(
  test: string,
  options: MtrOptions<A> = {},
): Measurement<Name<NoInfer<A>>> {
  const params: Params = {
    test: optionsOf(WORD, testName, test),
    ...optionsOf(WORD, shape, options),
  };
  checkMtrOptions(params.options);
  const metrics = { ...MTR, ...Object.assign({}, ...params.analyses.map(metricsOf)) };
  return { kind: 'mtr', params, metrics: metrics as Readonly<Record<Name<A>, Metric>> };
}

function metricsOf<A extends string>(name: A): Readonly<Record<`${A}${keyof typeof OF_ANALYSIS}`, Metric>> {
  const metrics = Object.entries(OF_ANALYSIS).map(
    ([metric, about]) => [`${name}${metric}`, { ...about, title: `${name}: ${about.title}` }] as const,
  );
  return Object.fromEntries(metrics) as Readonly<Record<`${A}${keyof typeof OF_ANALYSIS}`, Metric>>;
}

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
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
    const ended = await runWithRusage({
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

/** mtr reads a hyphen or a comma in the path of a suite as the end of its name. */
function plainFolder(): string {
  return /[-,]/.test(tmpdir()) ? '/tmp' : tmpdir();
}

/** mtr looks for all programs beside itself, so a build from packages needs the folder whose programs start with its libraries. */
async function scriptOf({ build }: TrialContext): Promise<string | null> {
  // Loaded here, because reading a study looks at no build.
  const { programsOf, TEST_SUITES } = await import('../../../server/programs.ts');
  const base = await programsOf(build);
  if (base === null) return null;
  const scripts = TEST_SUITES.flatMap((place) =>
    ['mariadb-test-run.pl', 'mysql-test-run.pl'].map((name) => join(base, place, name)),
  );
  return scripts.find((script) => existsSync(script)) ?? null;
}

/** A file becomes the only test of a suite of its own. It has no expected results, so mtr prints what the test prints. */
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

function readingsOf(params: Params, ended: Awaited<ReturnType<typeof runWithRusage>>): Readings {
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
    const analysis = analyses[index] === undefined ? null : read(analyses[index], output);
    for (const [metric, value] of Object.entries(analysisValues(analysis))) {
      if (value !== null) values[`${name}${metric}`] = value;
      else
        missing[`${name}${metric}`] =
          analysis === null ? `the test printed ${analyses.length} analyses.` : 'this version does not print it.';
    }
  });
  return { values, missing, artefacts: [{ name: 'mtr output', text: ended.stdout }] };
}

function analysisValues(analysis: AnalyzeSummary | null): Readonly<Record<keyof typeof OF_ANALYSIS, number | null>> {
  return {
    Time: analysis?.totalSeconds ?? null,
    PagesAccessed: analysis?.engine?.pagesAccessed ?? null,
    PagesRead: analysis?.engine?.pagesRead ?? null,
    ReadTime: analysis?.engine?.readSeconds ?? null,
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

export const mtr = defineMeasurement({
  kind: 'mtr',
  declare,
  metrics: { ...MTR, ...metricsOf('NAME') },
  needs: { process: true },
  run,
  docs: {
    forms: ['mtr(test, { options, analyses })'],
    how: "the build's own `mysql-test-run.pl`, with a server of its own: the variant's options do not apply",
    disturbs: "takes CPU and disk beside the trial's idle server",
    metrics: [
      [['testTime'], 'time of the test, as mtr prints it; resolution 1 ms'],
      [['wall'], 'the whole of mtr with its own set-up'],
      [['NAMETime', 'NAMEReadTime'], 'from each output of ANALYZE that has a name in `analyses`'],
      [['NAMEPagesAccessed', 'NAMEPagesRead'], 'pages, from the same output'],
    ],
  },
});
