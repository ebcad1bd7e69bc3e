import { mkdir, rm } from 'node:fs/promises';
import { z } from 'zod';
import { tellingLine } from '../../formats/logs/telling-line.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import type { Build } from '../../server/build.ts';
import { argvText, programWords } from '../../server/process/argv.ts';
import type { CommandOutput, Measurement, Metric, MetricValues } from '../../study/types.ts';
import { liveServer, type OwnCode, type Readings, type TrialContext } from '../context.ts';
import { optionsOf, text } from '../tools/options.ts';
import { type Accounted, runAccounted } from '../tools/run-with-rusage.ts';
import { shellLine } from '../tools/shell-line.ts';

const COMMAND = {
  wall: { unit: 's', better: 'lower', title: 'wall time of the command', resolution: 0.0001 },
  user: { unit: 's', better: 'lower', title: 'user CPU time of the command', resolution: 0.001 },
  system: { unit: 's', better: 'lower', title: 'system CPU time of the command', resolution: 0.001 },
  peakRss: {
    unit: 'B',
    better: 'lower',
    title: 'peak resident set of the command',
    resolution: 4096,
    caution: 'of its largest process; values of a few MB are those of the process that started it',
  },
  exitCode: { unit: '1', better: 'neither', title: 'exit code' },
} as const satisfies Readonly<Record<string, Metric>>;

type Parse<N extends string> = RegExp | Readonly<Record<N, string>> | ((output: CommandOutput) => MetricValues<N>);

export interface CommandOptions<N extends string> {
  /** Metrics read from the output, beside wall, user, system, peakRss and exitCode. */
  readonly metrics?: Readonly<Record<N, Metric>>;
  /**
   * How they are read: a regular expression whose named groups are the metrics (with the flag g, a series of all matches in
   * what the command printed); a path into JSON on standard output for each (`results[0].mean`); or a function.
   */
  readonly parse?: Parse<NoInfer<N>>;
  /** Exit codes that are no failure; only 0 by default. */
  readonly exitCodes?: readonly number[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const shape = z.strictObject({
  metrics: z.record(z.string(), z.looseObject({ unit: z.string(), better: z.string() })).default({}),
  parse: z
    .union(
      [z.instanceof(RegExp), z.record(z.string(), z.string()), z.custom((value) => typeof value === 'function')],
      'must be a regular expression, a path for each metric, or a function',
    )
    .optional(),
  exitCodes: z.array(z.int()).min(1, 'must name at least one').default([0]),
  input: z.string().optional(),
  env: z.record(z.string(), z.string()).optional(),
});
const argvShape = z.union(
  [text, z.array(z.string()).min(1, 'must not be empty')],
  'must be a list of words, or a line for the shell',
);

interface Params {
  readonly argv: readonly string[];
  readonly metrics: readonly string[];
  readonly pattern?: { readonly source: string; readonly flags: string };
  readonly paths?: Readonly<Record<string, string>>;
  readonly exitCodes: readonly number[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Any program, as a list of words or as one line for the shell: wall and CPU time, peak memory, and metrics read from what it
 * prints. `{socket}`, `{pid}`, `{datadir}` and `{basedir}` in the words stand for those of the running server: its client programs are
 * `{basedir}/bin/mariadb-dump` and the like, where its packages hold them (a script starts them, 1 ms). `{server}` stands for the
 * server's program with its loader and folders, for runs of it beside the one that is measured; `{empty}` for a new empty directory
 * beside the data directory, removed afterwards. It runs in the C locale; an exit code that is not expected fails the trial.
 * Disturbs as the program does.
 */
export function command<N extends string = never>(
  argv: string | readonly string[],
  options: CommandOptions<N> = {},
): Measurement<NoInfer<N> | keyof typeof COMMAND> {
  const words = optionsOf('measure.command', argvShape, argv);
  const { metrics, parse, exitCodes, input, env } = optionsOf('measure.command', shape, options);
  const names = Object.keys(metrics);
  const own = names.find((name) => Object.hasOwn(COMMAND, name));
  if (own !== undefined) {
    throw new BenchbookError('study', `measure.command has a metric "${own}" already.`, {
      hint: 'Give yours another name.',
    });
  }
  const read = readerOf(names, parse as Parse<string> | undefined);
  const params: Params = {
    argv: typeof words === 'string' ? ['/bin/sh', '-c', words] : words,
    metrics: names,
    ...read.params,
    exitCodes,
    ...(input === undefined ? {} : { input }),
    ...(env === undefined ? {} : { env }),
  };
  const all = { ...COMMAND, ...metrics } as Readonly<Record<N | keyof typeof COMMAND, Metric>>;
  return { kind: 'command', params, metrics: all, ...(read.parse === undefined ? {} : { parse: read.parse }) };
}

function readerOf(
  names: readonly string[],
  parse: Parse<string> | undefined,
): { readonly params: Partial<Params>; readonly parse?: NonNullable<Measurement['parse']> } {
  if (parse === undefined) {
    if (names.length === 0) return { params: {} };
    throw new BenchbookError('study', `measure.command does not say how "${names[0]}" is read: "parse" is missing.`);
  }
  if (typeof parse === 'function') return { params: {}, parse };
  const told = parse instanceof RegExp ? groupsOf(parse) : Object.keys(parse);
  const lost = names.find((name) => !told.includes(name)) ?? told.find((name) => !names.includes(name));
  if (lost !== undefined || names.length === 0) {
    const what = parse instanceof RegExp ? 'the named groups of "parse"' : 'the paths of "parse"';
    throw new BenchbookError(
      'study',
      `measure.command: "metrics" and ${what} differ${lost === undefined ? '' : ` by "${lost}"`}.`,
      {
        hint: "metrics: { tps: { unit: '1/s', better: 'higher' } }, parse: /tps: (?<tps>[0-9.]+)/",
      },
    );
  }
  return parse instanceof RegExp
    ? { params: { pattern: { source: parse.source, flags: parse.flags } } }
    : { params: { paths: parse } };
}

function groupsOf(pattern: RegExp): readonly string[] {
  return [...pattern.source.matchAll(/\(\?<([A-Za-z_$][\w$]*)>/g)].map((match) => match[1]!);
}

export async function measureCommand(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const params = measurement.params as Params;
  const empty = `${context.dataDirectory}.empty`;
  const argv = await filledIn(params.argv, context, empty);
  const env = usesServer(params.argv) ? { ...context.build.env, ...params.env } : params.env;
  const ended = await runAccounted({
    argv,
    ...(context.studyDirectory === undefined ? {} : { cwd: context.studyDirectory }),
    signal: context.signal,
    ...(params.input === undefined ? {} : { input: params.input }),
    ...(env === undefined ? {} : { env }),
  }).finally(() => rm(empty, { recursive: true, force: true }));
  const artefacts = [
    { name: 'standard output', text: ended.stdout },
    { name: 'standard error', text: ended.stderr },
  ].filter(({ text }) => text !== '');
  const evidence = Object.fromEntries(artefacts.map(({ name, text }) => [`command: ${name}`, text]));
  if (!params.exitCodes.includes(ended.exitCode)) {
    const line = tellingLine(ended.stderr.trim() === '' ? ended.stdout : ended.stderr);
    const said = line === '' ? '' : `: ${line}`;
    throw new BenchbookError('measure', `"${argv[0]}" ended with exit code ${ended.exitCode}${said}`, { evidence });
  }
  const parsed = await parsedOf(measurement, params, { ended, evidence, ownCode: context.ownCode });
  return { ...usage(ended), values: { ...usage(ended).values, ...parsed }, artefacts };
}

/** The metrics that every program has. */
function usage(ended: Accounted): Pick<Readings, 'values' | 'missing'> {
  const values: Record<string, number> = { wall: ended.wallSeconds, exitCode: ended.exitCode };
  const missing: Record<string, string> = {};
  for (const [name, value] of [
    ['user', ended.userSeconds],
    ['system', ended.systemSeconds],
    ['peakRss', ended.peakRssBytes],
  ] as const) {
    if (value === null) missing[name] = 'neither perl nor python3 is here to ask the system for it.';
    else values[name] = value;
  }
  return { values, missing };
}

const PLACES = /\{(socket|pid|datadir|basedir|server|empty)\}/g;

function usesServer(argv: readonly string[]): boolean {
  return argv.some((word) => /\{(server|basedir)\}/.test(word));
}

/** The folder whose programs start with the build's own libraries, even when another program starts them. */
async function basedirOf(build: Build): Promise<string> {
  // Loaded here: a study that is only read looks at no build.
  const { programsOf } = await import('../../server/programs.ts');
  return (await programsOf(build)) ?? '';
}

/** A word that is `{server}` becomes several; in a line for the shell they are quoted. */
async function filledIn(argv: readonly string[], context: TrialContext, empty: string): Promise<readonly string[]> {
  if (argv.every((word) => word.search(PLACES) < 0)) return argv;
  const server = await liveServer(context);
  const { build } = server;
  if (argv.some((word) => word.includes('{empty}'))) await mkdir(empty, { mode: 0o700 });
  const values: Readonly<Record<string, string>> = {
    socket: server.socketPath,
    pid: String(server.pid),
    datadir: server.dataDirectory,
    basedir: argv.some((word) => word.includes('{basedir}')) ? await basedirOf(build) : '',
    server: argvText(programWords(build)),
    empty,
  };
  const isShell = argv[0] === '/bin/sh' && argv[1] === '-c';
  const filled = (word: string, index: number) =>
    isShell && index === 2
      ? shellLine(word, PLACES, values)
      : word.replaceAll(PLACES, (_, name: string) => values[name]!);
  return argv.flatMap((word, index) => (word === '{server}' ? programWords(build) : filled(word, index)));
}

async function parsedOf(
  measurement: Measurement,
  params: Params,
  {
    ended,
    evidence,
    ownCode,
  }: {
    readonly ended: Accounted;
    readonly evidence: Readonly<Record<string, string>>;
    readonly ownCode: OwnCode | undefined;
  },
): Promise<Readonly<Record<string, unknown>>> {
  try {
    if (measurement.parse !== undefined) {
      const { stdout, stderr, exitCode } = ended;
      const parse = ownCode?.parse ?? measurement.parse;
      return (await parse({ stdout, stderr, exitCode })) as Readonly<Record<string, unknown>>;
    }
    if (params.pattern !== undefined) return matched(params.pattern, params.metrics, ended);
    if (params.paths !== undefined) return picked(params.paths, ended.stdout);
    return {};
  } catch (cause) {
    const { place, outcome } = cause instanceof BenchbookError ? cause : {};
    throw new BenchbookError('measure', `The output of "${params.argv[0]}" could not be read: ${sentenceOf(cause)}`, {
      cause,
      evidence,
      ...(place === undefined ? {} : { place }),
      ...(outcome === undefined ? {} : { outcome }),
    });
  }
}

function matched(
  { source, flags }: { readonly source: string; readonly flags: string },
  names: readonly string[],
  { stdout, stderr }: CommandOutput,
): Readonly<Record<string, unknown>> {
  const all = `${stdout}\n${stderr}`;
  const pattern = new RegExp(source, flags);
  const matches = flags.includes('g')
    ? [...all.matchAll(pattern)]
    : [pattern.exec(all)].filter((each) => each !== null);
  if (matches.length === 0) throw new Error(`nothing in it matches /${source}/.`);
  return Object.fromEntries(
    names.map((name) => {
      const values = matches.flatMap((match) => match.groups?.[name] ?? []).map(numberIn);
      return [name, values.length === 1 ? values[0] : values];
    }),
  );
}

function picked(paths: Readonly<Record<string, string>>, stdout: string): Readonly<Record<string, unknown>> {
  const root: unknown = JSON.parse(stdout);
  return Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, atPath(root, path)]));
}

/** `$.a.b[0]`, with or without the leading `$.`. */
function atPath(root: unknown, path: string): unknown {
  let value: unknown = root;
  for (const step of path.replace(/^\$\.?/, '').match(/[^.[\]]+/g) ?? []) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[step] : undefined;
    if (value === undefined) throw new Error(`there is no "${step}" of the path "${path}".`);
  }
  if (Array.isArray(value)) return value;
  return typeof value === 'string' ? numberIn(value) : value;
}

/** "1,234.5" is written so by programs for people; "61,01" could be either and is refused. */
function numberIn(written: string): number {
  const plain = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(written) ? written.replaceAll(',', '') : written;
  const value = plain.trim() === '' ? Number.NaN : Number(plain);
  if (Number.isFinite(value)) return value;
  throw new Error(`"${written}" is no number.`);
}
