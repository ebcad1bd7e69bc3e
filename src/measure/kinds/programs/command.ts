import { mkdir, rm } from 'node:fs/promises';
import { z } from 'zod';
import { errorLineOf } from '../../../formats/logs/error-line.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { argvText } from '../../../lib/process/shell-quote.ts';
import type { Build } from '../../../server/build.ts';
import { programWords } from '../../../server/build.ts';
import type { Measurement, Metric } from '../../../study/types.ts';
import { liveServer, type Readings, type TrialContext } from '../../context.ts';
import { type Parse, parsedOf, type ReaderParams, readerOf } from '../../tools/command-output.ts';
import { optionsOf, text } from '../../tools/options.ts';
import { type EndedProgram, runWithRusage } from '../../tools/run-with-rusage.ts';
import { shellLine } from '../../tools/shell-line.ts';
import { defineMeasurement } from '../define.ts';

const WORD = {
  name: 'measure.command',
  example: "measure.command(['mariadb-admin', '--socket={socket}', 'ping'])",
};

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

export interface CommandOptions<N extends string> {
  /** Metrics that are read from the output, in addition to wall, user, system, peakRss and exitCode. */
  readonly metrics?: Readonly<Record<N, Metric>>;
  /**
   * How they are read: a regular expression whose named groups are the metrics (with the flag g, a series of all matches in
   * what the command printed); a path into JSON on standard output for each (`results[0].mean`); or a function.
   */
  readonly parse?: Parse<NoInfer<N>>;
  /** Exit codes that are no failure; only 0 by default. */
  readonly exitCodes?: readonly number[];
  /** Sent to its standard input. */
  readonly input?: string;
  /** Added to PATH, HOME and the C locale. */
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

interface Params extends ReaderParams {
  readonly argv: readonly string[];
  readonly metrics: readonly string[];
  readonly exitCodes: readonly number[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Any program: its wall and CPU time in seconds, its peak memory in bytes, and metrics that are read from what it prints. It runs in
 * the study's folder and in the C locale, and disturbs the machine as the program does. Another exit code than 0 fails the trial.
 *
 * Words in braces stand for parts of the running server:
 * - `{socket}`, `{pid}`, `{datadir}`: its socket, process and data directory;
 * - `{basedir}`: the folder of its client programs, such as `{basedir}/bin/mariadb-dump`, where its packages hold them (a script
 *   starts them, which takes 1 ms);
 * - `{server}`: the server's program with its loader and folders, to run it beside the server that is measured;
 * - `{empty}`: a new empty directory beside the data directory, removed afterwards.
 * @param argv a list of words, or one line for the shell
 * @throws BenchbookError `study` for a wrong option, or where `metrics` and `parse` do not have the same names
 * @example
 * measure.command(['{basedir}/bin/mysqlslap', '--socket={socket}', '--auto-generate-sql'], {
 *   metrics: { average: { unit: 's', better: 'lower' } },
 *   parse: /Average number of seconds.*: (?<average>[0-9.]+)/,
 * })
 */
function declare<N extends string = never>(
  argv: string | readonly string[],
  options: CommandOptions<N> = {},
): Measurement<NoInfer<N> | keyof typeof COMMAND> {
  const words = optionsOf(WORD, argvShape, argv);
  const { metrics, parse, exitCodes, input, env } = optionsOf(WORD, shape, options);
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

async function run(measurement: Measurement, context: TrialContext): Promise<Readings> {
  const params = measurement.params as Params;
  const empty = `${context.dataDirectory}.empty`;
  const argv = await filledIn(params.argv, context, empty);
  const env = usesServer(params.argv) ? { ...context.build.env, ...params.env } : params.env;
  const ended = await runWithRusage({
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
    const line = errorLineOf(ended.stderr.trim() === '' ? ended.stdout : ended.stderr);
    const detail = line === '' ? '' : `: ${line}`;
    throw new BenchbookError('measure', `"${argv[0]}" ended with exit code ${ended.exitCode}${detail}`, { evidence });
  }
  const parsed = await parsedOf(measurement, params, { ended, evidence, ownCode: context.ownCode });
  return { ...usage(ended), values: { ...usage(ended).values, ...parsed }, artefacts };
}

/** The metrics that every program has. */
function usage(ended: EndedProgram): Pick<Readings, 'values' | 'missing'> {
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
  // Loaded here, because reading a study looks at no build.
  const { programsOf } = await import('../../../server/programs.ts');
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

export const command = defineMeasurement({
  kind: 'command',
  declare,
  metrics: COMMAND,
  run,
  docs: {
    forms: ['command(argv, { metrics, parse, exitCodes })'],
    how: 'any program (`{socket}`, `{pid}`, `{datadir}`, `{basedir}` of the running server; `{server}` its program, `{empty}` an empty directory), started by a small process: monotonic clock, `getrusage`; metrics by named groups, JSON paths or a function',
    disturbs: 'as the program does',
    metrics: [
      [['wall'], 'from before fork to after wait'],
      [['user', 'system'], 'CPU time of the program and what it waited for'],
      [
        ['peakRss'],
        'peak resident set of its largest process; values of a few MB are those of the process that started it',
      ],
      [['exitCode'], "exit code; 128 plus the signal's number for a program that was killed"],
    ],
  },
});
