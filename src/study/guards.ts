import { z } from 'zod';
import { BenchbookError, type Place, sentenceOf } from '../errors.ts';
import { hostRequestShape, ioLimitShape } from './hostRequest.ts';
import { suggestion } from './near.ts';
import { placeInStack, placeOfWords } from './place.ts';
import type { LevelValues } from './study.ts';
import type { Cell, Factor, Measurement, Metric, Setup } from './types.ts';

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
  env: z.record(z.string(), z.string()).optional(),
  host: hostRequestShape.optional(),
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
    const answer = call('exclude', () => exclude(strict(labels, factors, 'exclude', source)), source);
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

/** `setup` that throws sentences on unknown factors and wrong results. */
export function guardSetup(
  setup: (values: LevelValues) => unknown,
  factors: readonly Factor[],
  source: SourceText,
): (values: LevelValues) => Setup {
  return (values) => {
    const between = factors.filter((factor) => !factor.within);
    const answer = call('setup', () => setup(strict(values, between, 'setup', source)), source);
    const result = setupShape.safeParse(answer);
    if (result.success) return result.data as unknown as Setup;
    const issue = result.error.issues[0]!;
    const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0]! : null;
    throw new BenchbookError(
      'study',
      unknownKey === null
        ? `'setup' returned a wrong '${issue.path.join('.')}': ${issue.message}.`
        : `'setup' returned '${[...issue.path, unknownKey].join('.')}', which is not known.`,
      {
        place: placeOfWords(source.file, source.sourceText, [
          'setup',
          unknownKey ?? String(issue.path.at(-1) ?? 'setup'),
        ]),
        ...(unknownKey === null ? {} : { hint: suggestion(unknownKey, knownKeys(issue.path)) }),
      },
    );
  };
}

/** What may stand in the object at this path of `setup`'s result. */
function knownKeys(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return Object.keys(setupShape.shape);
  return Object.keys(path[1] === 'ioLimit' ? ioLimitShape.shape : hostRequestShape.shape);
}

/** `measurements` as a function, and the metrics that it declares, in order. */
export function guardMeasurements(
  declared: Readonly<Record<string, Measurement>> | ((values: LevelValues) => Readonly<Record<string, Measurement>>),
  factors: readonly Factor[],
  source: SourceText,
): { at: (values: LevelValues) => Readonly<Record<string, Measurement>>; metrics: Readonly<Record<string, Metric>> } {
  const at = (values: LevelValues) =>
    typeof declared === 'function'
      ? call('measurements', () => declared(strict(values, factors, 'measurements', source)), source)
      : declared;
  const first = at(Object.fromEntries(factors.map((factor) => [factor.name, factor.levels[0]!.value])));
  const place = placeOfWords(source.file, source.sourceText, ['measurements']);
  if (typeof first !== 'object' || first === null || Object.keys(first).length === 0) {
    throw new BenchbookError('study', 'The study has no measurements.', {
      place,
      hint: 'write `measurements: { startup: measure.startup() }`',
    });
  }
  const metrics: Record<string, Metric> = {};
  for (const [name, measurement] of Object.entries(first)) {
    if (!measurementShape.safeParse(measurement).success) {
      throw new BenchbookError('study', `'measurements.${name}' is not a measurement.`, {
        place: placeOfWords(source.file, source.sourceText, ['measurements', name]),
        hint: 'use one of `measure.…()`; each metric has a unit (B, s, 1, 1/s, B/s) and a direction (lower, higher, neither)',
      });
    }
    for (const [metric, about] of Object.entries(measurement.metrics))
      metrics[`${name}.${metric}`] = Object.freeze({ ...about });
  }
  return { at, metrics: Object.freeze(metrics) };
}

/** An object that throws a sentence where a factor is read that is not there. */
function strict<T extends object>(values: T, factors: readonly Factor[], where: string, source: SourceText): T {
  return new Proxy(Object.freeze({ ...values }), {
    get(target, key) {
      if (typeof key === 'symbol' || key in target) return Reflect.get(target, key);
      const probe = new Error('unknown factor');
      throw new BenchbookError('study', `'${where}' reads an unknown factor '${key}'.`, {
        place: placeOr(placeInStack(probe, source.file), placeOfWords(source.file, source.sourceText, [where, key])),
        hint: suggestion(
          key,
          factors.map((factor) => factor.name),
        ),
      });
    },
  });
}

function call<T>(name: string, body: () => T, source: SourceText): T {
  try {
    return body();
  } catch (cause) {
    if (cause instanceof BenchbookError) throw cause;
    const place = cause instanceof Error ? placeInStack(cause, source.file) : { file: source.file };
    throw new BenchbookError('study', `The study's '${name}' threw: ${sentenceOf(cause)}`, {
      place: placeOr(place, placeOfWords(source.file, source.sourceText, [name])),
      cause,
    });
  }
}

function placeOr(first: Place, second: Place): Place {
  return first.line === undefined ? second : first;
}
