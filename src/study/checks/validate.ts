import { dirname } from 'node:path';
import { z } from 'zod';
import { BenchbookError, type Place } from '../../lib/errors.ts';
import { wrongIn } from '../../lib/schema-forms.ts';
import { placeOfWords } from '../../lib/source-location.ts';
import { suggestion, unknownName } from '../../lib/suggestions.ts';
import { STUDY_MARK, type StudyDefinition } from '../define.ts';
import type { Profile, Study, StudyInput } from '../study.ts';
import type { Cell, Factor, Params, Primitive, TrialPolicy } from '../types.ts';
import { resolveFactors } from './factors.ts';
import { guardDerive, guardExclude, guardMeasurements, guardSetup, strictParams } from './guards.ts';
import { isSource, sourceFrom } from './paths.ts';
import { replicatesOf } from './replicates.ts';
import { checkNames, refuseLostNames } from './reserved-names.ts';

const primitive = z.union([z.string(), z.number(), z.boolean()]);
const cell = z.record(z.string(), primitive);
const callable = z.custom<(...args: never[]) => unknown>((value) => typeof value === 'function', 'must be a function');
const count = z.number().int().positive();

const seconds = z.number().positive();
const replicatesShape = z.strictObject({
  min: count,
  max: count,
  until: callable.optional(),
  budgetSeconds: seconds.optional(),
  warmUp: z.number().int().nonnegative().optional(),
});
const limitsShape = z
  .strictObject({
    startSeconds: seconds,
    stopSeconds: seconds,
    purgeSeconds: seconds,
    measurementSeconds: seconds,
    trialSeconds: seconds,
    retries: z.number().int().nonnegative(),
    giveUpAfter: count,
  })
  .partial();

const shape = z.strictObject({
  title: z.string().min(1, 'must not be empty'),
  tickets: z.array(z.string()).optional(),
  params: z.record(z.string(), primitive).optional(),
  variants: z.strictObject({
    factors: z.record(z.string(), z.union([z.array(primitive), z.record(z.string(), z.unknown())])),
    only: z.array(cell).optional(),
    baseline: cell.optional(),
    exclude: callable.optional(),
    derive: callable.optional(),
  }),
  setup: callable,
  measurements: z.union([callable, z.record(z.string(), z.unknown())]),
  replicates: z.union([count, replicatesShape]).optional(),
  order: z.union([z.enum(['blocks', 'interleaved', 'sequential']), z.strictObject({ duet: z.string() })]).optional(),
  limits: limitsShape.optional(),
  threshold: z.number().positive().lt(1).optional(),
  profiles: z
    .record(
      z.string(),
      z.strictObject({
        levels: z.record(z.string(), z.array(primitive)).optional(),
        replicates: count.optional(),
        params: z.record(z.string(), primitive).optional(),
      }),
    )
    .optional(),
  report: callable,
  verdict: callable.optional(),
});

type Raw = z.infer<typeof shape>;

/** What is known of a study beside its definition. */
interface Source {
  readonly definition: StudyDefinition;
  readonly id: string;
  readonly file: string;
  readonly sourceText: string;
  readonly inputs: readonly StudyInput[];
  /** The profile that it is to be loaded in. */
  readonly profile: string | null;
}

/**
 * Checks a definition and freezes it into a `Study`.
 *
 * @throws BenchbookError `study`: one sentence, file and line, the nearest right word; `usage` for a profile that the study does not have
 */
export function validateStudy(source: Source): Study {
  const at = (...words: string[]): Place => placeOfWords(source.file, source.sourceText, words);
  checkGivenNames(source, at);
  const raw = parse(source);
  const factors = resolveFactors(raw.variants.factors, at).map((factor) => withPaths(factor, dirname(source.file)));
  const variants = raw.variants;
  for (const wanted of variants.only ?? []) checkCell(wanted, factors, 'only', at);
  checkCell(variants.baseline ?? {}, factors, 'baseline', at);
  const derive = guardDerive(variants.derive as never, factors, source);
  const profiles = profilesOf(raw, factors, at);
  const params = { ...raw.params, ...profileOf(profiles, source)?.params };
  const measurements = guardMeasurements(raw.measurements as never, { factors, derive, params, source });
  return Object.freeze({
    id: source.id,
    file: source.file,
    sourceText: source.sourceText,
    title: raw.title,
    tickets: raw.tickets ?? [],
    factors,
    only: variants.only ?? null,
    baseline: variants.baseline ?? {},
    exclude: guardExclude(variants.exclude as never, factors, source),
    setup: guardSetup(raw.setup as never, { factors, derive, params, source }),
    measurements: measurements.at,
    metrics: measurements.metrics,
    replicates: replicatesOf(raw.replicates ?? 7, { metrics: measurements.metrics, source }),
    ...(raw.order === undefined ? {} : { order: raw.order }),
    ...(raw.limits === undefined ? {} : { policy: raw.limits as Partial<TrialPolicy> }),
    profiles,
    profile: source.profile,
    params: strictParams(params, 'report', source),
    threshold: raw.threshold ?? 0.02,
    report: raw.report as Study['report'],
    ...(raw.verdict === undefined ? {} : { verdict: raw.verdict as NonNullable<Study['verdict']> }),
    inputs: source.inputs,
    codeHash: null,
  });
}

/** Servers as levels: setup returns them as they stand here, so that both are found equal. */
function withPaths(factor: Factor, directory: string): Factor {
  const levels = factor.levels.map((level) =>
    isSource(level.value) ? { ...level, value: sourceFrom(directory, level.value) } : level,
  );
  return Object.freeze({ ...factor, levels: Object.freeze(levels) });
}

/** Before anything is copied, since a copy drops such names without a word. */
function checkGivenNames({ definition, sourceText }: Source, at: (...words: string[]) => Place): void {
  refuseLostNames(sourceText, at);
  const given = (definition as unknown as Record<symbol, unknown>)[STUDY_MARK];
  if (typeof given !== 'object' || given === null) return;
  const { params, variants, measurements, profiles } = given as Partial<Record<string, Record<string, unknown> | null>>;
  checkNames(params, 'parameter', at);
  checkNames(variants?.factors, 'factor', at);
  checkNames(measurements, 'measurement', at);
  checkNames(profiles, 'profile', at);
}

function parse(source: Source): Raw {
  const given = (source.definition as unknown as Record<symbol, unknown>)[STUDY_MARK];
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const unknownKey = issue.code === 'unrecognized_keys' ? issue.keys[0]! : null;
  const path = issue.path.map(String);
  const place = placeOfWords(source.file, source.sourceText, [unknownKey ?? path.at(-1) ?? 'defineStudy']);
  if (unknownKey !== null) {
    const known = knownKeys(path[0]);
    throw new BenchbookError('study', `A study has no '${[...path, unknownKey].join('.')}'.`, {
      place,
      hint: suggestion(unknownKey, known),
    });
  }
  const wrong = wrongIn(shape, given, issue);
  const { missing, sentence } = wrong;
  const name = wrong.path.join('.');
  // The study's text does not show an index of a list, nor a field that is missing.
  const words = missing && wrong.path.length > 1 ? wrong.path.slice(0, -1) : wrong.path;
  const placeWord = words.findLast((each) => !/^\d+$/.test(each));
  throw new BenchbookError(
    'study',
    missing ? `The study has no '${name}': ${sentence}.` : `The study's '${name}' is not right: ${sentence}.`,
    {
      place: placeOfWords(source.file, source.sourceText, [placeWord ?? 'defineStudy']),
      ...exampleOf(wrong.path[0]),
    },
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  title: "title: 'Start-up with a large buffer pool'",
  tickets: "tickets: ['MDEV-25340']",
  params: 'params: { rows: 100000 }',
  variants: "variants: { factors: { pool: ['128M', '1G'] }, baseline: { pool: '128M' } }",
  setup: 'setup: (v) => ({ server: servers.installed(), options: { innodb_buffer_pool_size: v.pool } })',
  measurements: 'measurements: { startup: measure.startup() }',
  replicates: 'replicates: 7, or replicates: { min: 6, max: 20 }',
  order: "order: 'blocks', or order: { duet: 'server' }",
  limits: 'limits: { startSeconds: 60, measurementSeconds: 600 }',
  threshold: 'threshold: 0.02',
  profiles: "profiles: { quick: { replicates: 6, levels: { pool: ['128M'] } } }",
  report: "report: ({ md, stat }) => [md`It takes ${stat('startup.ready', { pool: '1G' })}.`]",
};

function exampleOf(part: string | undefined): { readonly hint?: string } {
  const example = part === undefined || !Object.hasOwn(EXAMPLES, part) ? undefined : EXAMPLES[part];
  return example === undefined ? {} : { hint: `for example \`${example}\`` };
}

function knownKeys(part: string | undefined): string[] {
  switch (part) {
    case undefined:
      return Object.keys(shape.shape);
    case 'variants':
      return Object.keys(shape.shape.variants.shape);
    case 'replicates':
      return Object.keys(replicatesShape.shape);
    case 'limits':
      return Object.keys(limitsShape.shape);
    default:
      return ['levels', 'replicates', 'params'];
  }
}

/** Every factor and level named in a cell exists; the cell may be partial. */
export function checkCell(
  wanted: Cell,
  factors: readonly Factor[],
  where: string,
  at: (...words: string[]) => Place,
): void {
  for (const [name, label] of Object.entries(wanted)) {
    const factor = factors.find((each) => each.name === name);
    if (!factor) {
      throw new BenchbookError('study', `'${where}' names an unknown factor '${name}'.`, {
        place: at(where, name),
        hint: suggestion(
          name,
          factors.map((each) => each.name),
        ),
      });
    }
    if (!factor.levels.some((level) => level.label === label)) {
      throw new BenchbookError('study', `'${where}' names an unknown level ${show(label)} of factor '${name}'.`, {
        place: at(where, String(label)),
        hint: suggestion(
          String(label),
          factor.levels.map((level) => String(level.label)),
        ),
      });
    }
  }
}

function show(label: Primitive): string {
  return typeof label === 'string' ? `'${label}'` : String(label);
}

function profilesOf(
  raw: Raw,
  factors: readonly Factor[],
  at: (...words: string[]) => Place,
): Readonly<Record<string, Profile>> {
  const profiles: Record<string, Profile> = {};
  for (const [name, profile] of Object.entries(raw.profiles ?? {})) {
    for (const [factor, labels] of Object.entries(profile.levels ?? {})) {
      for (const label of labels) checkCell({ [factor]: label }, factors, `profiles.${name}`, at);
    }
    for (const [param, value] of Object.entries(profile.params ?? {})) {
      checkParam({ profile: name, param, value }, raw.params ?? {}, at);
    }
    profiles[name] = {
      params: profile.params ?? {},
      levels: profile.levels ?? {},
      replicates: profile.replicates === undefined ? null : { min: profile.replicates, max: profile.replicates },
    };
  }
  return profiles;
}

/** A profile sets what the study declares, to a value of the same type. */
function checkParam(
  { profile, param, value }: { readonly profile: string; readonly param: string; readonly value: Primitive },
  declared: Params,
  at: (...words: string[]) => Place,
): void {
  const place = at(`${profile}`, 'params', param);
  if (!Object.hasOwn(declared, param)) {
    const hint = suggestion(param, Object.keys(declared));
    throw new BenchbookError('study', `'profiles.${profile}' sets an unknown parameter '${param}'.`, { place, hint });
  }
  const type = typeof declared[param];
  if (typeof value === type) return;
  throw new BenchbookError(
    'study',
    `'profiles.${profile}' sets the parameter '${param}' to ${show(value)}, where 'params' has a ${type}.`,
    { place },
  );
}

function profileOf(profiles: Readonly<Record<string, Profile>>, { id, profile }: Source): Profile | null {
  if (profile === null) return null;
  if (Object.hasOwn(profiles, profile)) return profiles[profile]!;
  throw unknownName('profile', profile, Object.keys(profiles), `study ${id}`);
}
