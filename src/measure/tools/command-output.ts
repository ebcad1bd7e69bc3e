import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import type { CommandOutput, Measurement, MetricValues } from '../../study/types.ts';
import type { OwnCode } from '../context.ts';
import type { EndedProgram } from './run-with-rusage.ts';

/** How metrics are read from what a program prints: named groups, a path into JSON for each, or a function. */
export type Parse<N extends string> =
  | RegExp
  | Readonly<Record<N, string>>
  | ((output: CommandOutput) => MetricValues<N>);

/** The same as plain data; a function stands in `parse` of the measurement instead. */
export interface ReaderParams {
  readonly pattern?: { readonly source: string; readonly flags: string };
  readonly paths?: Readonly<Record<string, string>>;
}

/** @throws BenchbookError('study') where metrics and what reads them do not have the same names. */
export function readerOf(
  names: readonly string[],
  parse: Parse<string> | undefined,
): { readonly params: ReaderParams; readonly parse?: NonNullable<Measurement['parse']> } {
  if (parse === undefined) {
    if (names.length === 0) return { params: {} };
    throw new BenchbookError('study', `measure.command does not say how "${names[0]}" is read: "parse" is missing.`);
  }
  if (typeof parse === 'function') return { params: {}, parse };
  const read = parse instanceof RegExp ? groupsOf(parse) : Object.keys(parse);
  const lost = names.find((name) => !read.includes(name)) ?? read.find((name) => !names.includes(name));
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

/** The values of the metrics of the study's own. @internal */
export async function parsedOf(
  measurement: Measurement,
  params: ReaderParams & { readonly argv: readonly string[]; readonly metrics: readonly string[] },
  {
    ended,
    evidence,
    ownCode,
  }: {
    readonly ended: EndedProgram;
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

/** Programs for people write "1,234.5". "61,01" could mean either number, so it is refused. */
function numberIn(written: string): number {
  const plain = /^[+-]?\d{1,3}(,\d{3})+(\.\d+)?$/.test(written) ? written.replaceAll(',', '') : written;
  const value = plain.trim() === '' ? Number.NaN : Number(plain);
  if (Number.isFinite(value)) return value;
  throw new Error(`"${written}" is no number.`);
}
