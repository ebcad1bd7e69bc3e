import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { JsonValue } from '../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { canonicalJson } from '../../lib/json.ts';
import type { Build } from '../../server/build.ts';
import { newlyCounted } from '../../server/settings.ts';
import { contentKey } from '../../server/starting-point.ts';
import type { LevelValues, Study } from '../../study/study.ts';
import type { Cell, Dataset, LoadStep, Measurement, ServerSource } from '../../study/types.ts';
import { relativizePaths } from '../trial/relative-paths.ts';
import type { ResolvedVariant } from '../variants.ts';
import { FIRST_REVISION, MEASURING_REVISION } from './measuring-revision.ts';

/** Everything that decides what a trial measures: where it is the same, a trial need not be measured again. */
export interface TrialInputs {
  /** What `setup` returned, without the server source: the build stands for it. */
  readonly setup: JsonValue;
  /** Measurements by within cell, in declared order: name, kind, parameters. */
  readonly measurements: JsonValue;
  readonly build: { readonly id: string; readonly version: string };
  readonly hostClass: JsonValue;
  /** Hash of the study's own measuring code; null where it has none. */
  readonly code: string | null;
  /** Values of the factors, which such code may use without naming them as parameters; absent where there is none. */
  readonly values?: JsonValue;
  /** Options that the data set depends on now and did not before, when it was shared by mistake; absent where there are none. */
  readonly ownData?: readonly string[];
  /** See `MEASURING_REVISION`; absent where it is the first. */
  readonly measuringRevision?: number;
}

/** @throws BenchbookError `missing` where a file of the data set is not there. */
export async function inputsOf(
  study: Study,
  variant: ResolvedVariant,
  build: Build,
  hostClass: JsonValue,
  cacheDirectory: string,
): Promise<TrialInputs> {
  const { server, data, ...setup } = variant.setup;
  const shared = newlyCounted(setup.options ?? {});
  const stages = variant.stages(variant.variant.withinCells);
  const measurements = stages.map(({ within, measurements }) => ({
    within,
    made: Object.entries(measurements).map(([name, measurement]) => ({ name, ...described(measurement) })),
  }));
  // Where the study lies decides nothing: paths below its folder are those of its files.
  const folder = dirname(study.file);
  const [asPath, asUrl] = [folder, pathToFileURL(folder).pathname].map((path) => relativizePaths({ study: path }));
  const rewrite = (value: JsonValue) => asUrl!(asPath!(value));
  return {
    setup: rewrite(plain(data === undefined ? setup : { ...setup, data: await describedData(data, cacheDirectory) })),
    measurements: rewrite(plain(measurements)),
    build: { id: build.id, version: build.version },
    hostClass,
    code: study.codeHash,
    ...(study.codeHash === null
      ? {}
      : { values: rewrite(plain(stages.map(({ values }) => withoutServer(values, server)))) }),
    ...(data === undefined || shared.length === 0 ? {} : { ownData: shared }),
    // Without it keys of the first revision stay what they were.
    ...(MEASURING_REVISION === FIRST_REVISION ? {} : { measuringRevision: MEASURING_REVISION }),
  };
}

/** Without the server's source, for which the build stands. */
function withoutServer(values: LevelValues, server: ServerSource): LevelValues {
  const source = canonicalJson(plain(server));
  return Object.fromEntries(Object.entries(values).filter(([, value]) => canonicalJson(plain(value)) !== source));
}

/** A data set by its content, files by their bytes. */
async function describedData(data: Dataset, cacheDirectory: string): Promise<object> {
  const { name, database, schema, order, preparedBy } = data;
  return {
    name,
    order,
    content: await contentKey(data, cacheDirectory),
    ...(preparedBy === undefined ? {} : { preparedBy }),
    // Nothing new to the key: what a reader needs to fill it again without the study.
    database,
    schema,
    load: data.load.map(describedStep),
  };
}

/** A function by its text, a file by its name: where it lay says nothing elsewhere. */
function describedStep(step: LoadStep): object {
  if (step.step === 'command') return { step: step.step, argv: step.argv };
  if (step.step === 'client rows') return { ...step, row: step.row.toString() };
  if (step.step === 'file' || step.step === 'script') return { ...step, file: basename(step.file) };
  return step;
}

/** A measurement without its functions, whose text is part of the code hash, and without metrics, which change no number. */
function described({ kind, params, inner, probes }: Measurement): object {
  return {
    kind,
    params,
    ...(inner === undefined ? {} : { inner: described(inner) }),
    ...(probes === undefined ? {} : { probes: probes.map(({ probe, params }) => ({ probe, params })) }),
  };
}

/** The trial key: 16 hex digits over the inputs, whatever the order of their fields. */
export function keyOf(inputs: TrialInputs): string {
  return createHash('sha256')
    .update(canonicalJson(inputs as unknown as JsonValue))
    .digest('hex')
    .slice(0, 16);
}

/** What differs, in words for the person who waits: "server build changed: 10.11.18 to 10.11.19". */
export function differencesOf(before: TrialInputs, now: TrialInputs): readonly string[] {
  const found: string[] = [];
  const [from, to] = [before, now].map(({ measuringRevision = FIRST_REVISION }) => measuringRevision);
  if (from !== to) found.push(`the way of measuring changed: revision ${from} to ${to}`);
  if (before.build.id !== now.build.id) {
    const names =
      before.build.version === now.build.version
        ? [before.build.id, now.build.id]
        : [before.build.version, now.build.version];
    found.push(`server build changed: ${names[0]} to ${names[1]}`);
  }
  const [was, is] = [before.setup, now.setup] as readonly Readonly<Record<string, JsonValue>>[];
  found.push(...changes('option', was!.options ?? {}, is!.options ?? {}));
  found.push(...changes('setup', { ...was, options: null }, { ...is, options: null }));
  found.push(...changes('measurement', byName(before.measurements), byName(now.measurements)));
  found.push(...changes('host', before.hostClass, now.hostClass));
  found.push(...changes('data set of its own by', before.ownData ?? [], now.ownData ?? []));
  if (before.code !== now.code) found.push('custom measuring code changed');
  else found.push(...changes('values', before.values, now.values));
  return found;
}

/** `{ load: { 'at threads=4': … } }`: one name, however many within cells. */
function byName(measurements: JsonValue): JsonValue {
  const result: Record<string, Record<string, JsonValue>> = {};
  for (const { within, made } of measurements as unknown as readonly MadeAt[]) {
    const cell = Object.entries(within).map(([factor, label]) => `${factor}=${String(label)}`);
    const place = cell.length === 0 ? 'as declared' : `at ${cell.join(', ')}`;
    for (const { name, ...rest } of made) result[name] = { ...result[name], [place]: rest };
  }
  return result;
}

interface MadeAt {
  readonly within: Cell;
  readonly made: readonly ({ readonly name: string } & { readonly [key: string]: JsonValue })[];
}

/** The leaves that differ, by path. */
function changes(path: string, before: JsonValue | undefined, now: JsonValue | undefined): readonly string[] {
  if (before === undefined && now === undefined) return [];
  if (isRecord(before) && isRecord(now)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(now)])];
    return names.flatMap((name) => changes(`${path} ${name}`, before[name], now[name]));
  }
  if (before !== undefined && now !== undefined && canonicalJson(before) === canonicalJson(now)) return [];
  if (before === undefined) return [`${path} added: ${shown(now!)}`];
  if (now === undefined) return [`${path} removed: was ${shown(before)}`];
  return [`${path} changed: ${shown(before)} to ${shown(now)}`];
}

function isRecord(value: JsonValue | undefined): value is { readonly [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shown(value: JsonValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}

/**
 * As it will be read back: without functions and absent fields, a bigint as "1n".
 * @throws BenchbookError('study') for what no text can hold, such as an object that holds itself.
 */
export function plain(value: unknown): JsonValue {
  try {
    const text = JSON.stringify(value ?? null, (_, each: unknown) => (typeof each === 'bigint' ? `${each}n` : each));
    return JSON.parse(text ?? 'null') as JsonValue;
  } catch (cause) {
    throw new BenchbookError(
      'study',
      `A level or parameter of the study cannot be written down: ${sentenceOf(cause).split('\n')[0]}`,
      {
        hint: 'Levels and parameters are plain data: texts, numbers, lists and objects that do not hold themselves.',
        cause,
      },
    );
  }
}
