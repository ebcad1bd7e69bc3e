import { dirname } from 'node:path';
import { z } from 'zod';
import { CONTROLS, hostRequestSchema } from '../../host/controls.ts';
import { BenchbookError, type Place } from '../../lib/errors.ts';
import { wrongIn } from '../../lib/schema-forms.ts';
import { placeInStack, placeOfWords } from '../../lib/source-location.ts';
import { suggestion } from '../../lib/suggestions.ts';
import { callStudy, placeOr } from '../call.ts';
import type { LevelValues } from '../study.ts';
import type { Cell, Factor, Measurement, Metric, Params, Setup } from '../types.ts';
import { setupFrom } from './paths.ts';
import { checkMeasurementName, checkNames } from './reserved-names.ts';

interface SourceText {
  readonly file: string;
  readonly sourceText: string;
}

const optionValue = z.union([z.string(), z.number(), z.boolean()]);
const setupShape = z.strictObject({
  server: z.looseObject({ source: z.enum(['installed', 'debian', 'tarball', 'git', 'external']) }),
  options: z
    .record(z.string().regex(/^[A-Za-z][\w.-]*$/, 'an option name has letters, digits and _'), optionValue)
    .optional(),
  env: z
    .record(
      z.string().regex(/^[^=\0]+$/, 'the name of a variable is not empty and holds no = and no NUL'),
      z.string().regex(/^[^\0]*$/, 'the value of a variable holds no NUL'),
    )
    .optional(),
  host: hostRequestSchema.optional(),
  data: z.looseObject({ name: z.string(), load: z.array(z.looseObject({ step: z.string() })) }).optional(),
  engine: z.string().regex(/^\w+$/, 'the name of a storage engine').optional(),
});
const metricShape = z.object({
  unit: z.enum(['B', 's', '1', '1/s', 'B/s']),
  better: z.enum(['lower', 'higher', 'neither']),
});
const measurementShape = z.object({ kind: z.string(), metrics: z.record(z.string(), metricShape) });

/** `exclude` that throws sentences on unknown factors and takes only a reason or false. */
export function guardExclude(
  exclude: ((labels: Cell) => unknown) | undefined,
  factors: readonly Factor[],
  source: SourceText,
): (labels: Cell) => string | false {
  if (!exclude) return () => false;
  return (labels) => {
    const answer = callStudy('exclude', source, () => exclude(strictFactors(labels, factors, 'exclude', source)));
    if (answer === false || answer === undefined || answer === null) return false;
    if (typeof answer === 'string' && answer.trim() !== '') return answer;
    throw new BenchbookError(
      'study',
      `'exclude' returned ${JSON.stringify(answer)} where it must return a reason or false.`,
      {
        place: placeOfWords(source.file, source.sourceText, ['exclude']),
        hint: "write `condition && 'the reason'`: the report shows it",
      },
    );
  };
}

/** What the guards of `setup` and `measurements` know. */
interface GuardContext {
  readonly factors: readonly Factor[];
  readonly derive: (values: LevelValues) => LevelValues;
  readonly params: Params;
  readonly source: SourceText;
}

/** `derive` that throws sentences; nothing where the study has none. */
export function guardDerive(
  derive: ((values: LevelValues) => unknown) | undefined,
  factors: readonly Factor[],
  source: SourceText,
): (values: LevelValues) => LevelValues {
  if (!derive) return () => ({});
  return (values) => {
    // `setup` sees no within factor. A value derived from one is undefined there, and no error.
    const answer = callStudy('derive', source, () => derive(strictFactors(values, factors, 'derive', source)));
    checkNames(answer, 'derived value', (...words) => placeOfWords(source.file, source.sourceText, words));
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer)) return answer as LevelValues;
    throw new BenchbookError('study', "'derive' must return an object of values.", {
      place: placeOfWords(source.file, source.sourceText, ['derive']),
      hint: 'write derive: (v) => ({ name: … })',
    });
  };
}

/** `setup` that throws sentences on unknown factors and wrong results. */
export function guardSetup(
  setup: (values: LevelValues, params: Params) => unknown,
  { factors, derive, params, source }: GuardContext,
): (values: LevelValues) => Setup {
  return (values) => {
    const between = factors.filter((factor) => !factor.within);
    const all = { ...values, ...derive(values) };
    // Reading the returned object may run getters of the study.
    const { answer, result } = callStudy('setup', source, () => {
      const answer = setup(strictFactors(all, between, 'setup', source), strictParams(params, 'setup', source));
      return { answer, result: setupShape.safeParse(answer) };
    });
    if (result.success) return guardRows(setupFrom(dirname(source.file), result.data as unknown as Setup), source);
    const issue = result.error.issues[0]!;
    const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0]! : null;
    const wrong = wrongIn(setupShape, answer, issue);
    const name = wrong.path.join('.');
    const sentence = wrong.missing
      ? `'setup' returned no '${name}': ${wrong.sentence}.`
      : `'setup' returned a wrong ${name === '' ? 'value' : `'${name}'`}: ${wrong.sentence}.`;
    throw new BenchbookError(
      'study',
      unknownKey === null
        ? sentence
        : `'setup' returned '${[...issue.path, unknownKey].join('.')}', which is not known.`,
      {
        place: placeOfWords(source.file, source.sourceText, [
          'setup',
          unknownKey ?? (wrong.missing ? 'setup' : String(issue.path.at(-1) ?? 'setup')),
        ]),
        hint: unknownKey === null ? SETUP_EXAMPLE : suggestion(unknownKey, knownKeys(issue.path)),
      },
    );
  };
}

/** How many rows are made under one limit: a limit for each would take longer than the rows. */
const ROWS_AT_ONCE = 1000;

/** `row` of a data set that throws sentences; its text, which names the data set, stays that of the study. */
function guardRows(setup: Setup, source: SourceText): Setup {
  if (setup.data === undefined) return setup;
  const load = setup.data.load.map((step) => {
    if (step.step !== 'client rows') return step;
    let from = 0;
    let rows: readonly ReturnType<typeof step.row>[] = [];
    const row: typeof step.row = (n) => {
      if (n < from || n >= from + rows.length) {
        const count = Math.max(1, Math.min(ROWS_AT_ONCE, step.count - n));
        rows = callStudy('load.generate', source, () =>
          Array.from({ length: count }, (_, index) => step.row(n + index)),
        );
        from = n;
      }
      return rows[n - from]!;
    };
    return { ...step, row: Object.assign(row, { toString: () => step.row.toString() }) };
  });
  return { ...setup, data: { ...setup.data, load } };
}

const SETUP_EXAMPLE =
  "for example `setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool }, host: { memoryLimit: '16G' } })`";

/** What may stand in the object at this path of `setup`'s result. */
function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(setupShape.shape);
  const control = CONTROLS[String(path[1])]?.schema;
  return Object.keys(control instanceof z.ZodObject ? control.shape : hostRequestSchema.shape);
}

/** `measurements` as a function, and the metrics that it declares, in order. */
export function guardMeasurements(
  declared:
    | Readonly<Record<string, Measurement>>
    | ((values: LevelValues, params: Params) => Readonly<Record<string, Measurement>>),
  { factors, derive, params, source }: GuardContext,
): { at: (values: LevelValues) => Readonly<Record<string, Measurement>>; metrics: Readonly<Record<string, Metric>> } {
  const written = (values: LevelValues) => {
    if (typeof declared !== 'function') return declared;
    const all = { ...values, ...derive(values) };
    return callStudy('measurements', source, () =>
      declared(strictFactors(all, factors, 'measurements', source), strictParams(params, 'measurements', source)),
    );
  };
  const first = written(Object.fromEntries(factors.map((factor) => [factor.name, factor.levels[0]!.value])));
  const place = placeOfWords(source.file, source.sourceText, ['measurements']);
  if (typeof first !== 'object' || first === null || Object.keys(first).length === 0) {
    throw new BenchbookError('study', 'The study has no measurements.', {
      place,
      hint: 'write `measurements: { startup: measure.startup() }`',
    });
  }
  const at = (...words: string[]) => placeOfWords(source.file, source.sourceText, words);
  checkNames(first, 'measurement', at);
  const metrics: Record<string, Metric> = {};
  for (const [name, measurement] of Object.entries(first)) {
    checkMeasurementName(name, at);
    checkNames((measurement as { metrics?: unknown } | null)?.metrics, 'metric', at);
    if (!measurementShape.safeParse(measurement).success) {
      throw new BenchbookError('study', `'measurements.${name}' is not a measurement.`, {
        place: placeOfWords(source.file, source.sourceText, ['measurements', name]),
        hint: "use one of `measure.…()`; a metric of your own is written like { lag: { unit: 's', better: 'lower' } }, with unit B, s, 1, 1/s or B/s and better lower, higher or neither",
      });
    }
    for (const [metric, about] of Object.entries(measurement.metrics))
      metrics[`${name}.${metric}`] = Object.freeze({ ...about });
  }
  const measurementsAt = (values: LevelValues) => {
    const measurements = written(values);
    refuseOthers(measurements, metrics, place);
    return measurements;
  };
  return { at: measurementsAt, metrics: Object.freeze(metrics) };
}

/** A report speaks of the same metrics in every variant. */
function refuseOthers(
  measurements: Readonly<Record<string, Measurement>>,
  metrics: Readonly<Record<string, Metric>>,
  place: Place,
): void {
  const names = Object.entries(measurements).flatMap(([name, { metrics: own }]) =>
    Object.keys(own).map((metric) => `${name}.${metric}`),
  );
  const odd =
    names.find((name) => !Object.hasOwn(metrics, name)) ?? Object.keys(metrics).find((name) => !names.includes(name));
  if (odd === undefined) return;
  throw new BenchbookError('study', `'measurements' gives '${odd}' for some variants and not for others.`, {
    place,
    hint: 'its keys and metrics must be the same for all; leave a variant out with exclude, or measure it everywhere',
  });
}

/** The factors. A nested factor may be missing, which is no mistake. */
function strictFactors<T extends object>(values: T, factors: readonly Factor[], where: string, source: SourceText): T {
  const names = factors.map((factor) => factor.name);
  return strict(values, { kind: 'factor', names, where, source });
}

/** The study's `params`, for what reads them. */
export function strictParams(params: Params, where: string, source: SourceText): Params {
  return strict(params, { kind: 'parameter', names: Object.keys(params), where, source });
}

interface Known {
  readonly kind: 'factor' | 'parameter';
  readonly names: readonly string[];
  readonly where: string;
  readonly source: SourceText;
}

/** An object that throws a sentence where the study reads an unknown name. */
function strict<T extends object>(values: T, { kind, names, where, source }: Known): T {
  return new Proxy(Object.freeze({ ...values }), {
    get(target, key) {
      // JSON.stringify reads `toJSON`, and `await` reads `then`: these are no mistakes of the study.
      const isKnown = typeof key === 'symbol' || key in target || names.includes(key);
      if (isKnown || key === 'toJSON' || key === 'then') return Reflect.get(target, key);
      const here = new Error('unknown name');
      throw new BenchbookError('study', `'${where}' reads an unknown ${kind} '${key}'.`, {
        place: placeOr(placeInStack(here, source.file), placeOfWords(source.file, source.sourceText, [where, key])),
        hint: suggestion(key, names),
      });
    },
  });
}
