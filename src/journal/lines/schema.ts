import { z } from 'zod';
import { folderNameFault, isPlainPath } from '../../lib/files/folder-names.ts';
import { type Entry, FORMAT_VERSION } from '../entry.ts';

const json = z.unknown().refine((value) => value !== undefined, 'missing');
const count = z.int().nonnegative();
const label = z.union([z.string(), z.number(), z.boolean()]);
const labels = z.record(z.string(), label);
const hash = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hexadecimal');
/** It becomes a folder's name, wherever the journal comes from. */
const folderName = z.string().superRefine((name, context) => {
  const fault = folderNameFault(name);
  if (fault !== null)
    context.addIssue({ code: 'custom', message: `${JSON.stringify(name)} names no folder: ${fault}` });
});
const instant = z.iso.datetime();

/** z.array looks at each number by itself; a plain loop is ten times faster, and a journal may hold millions. */
const numbers = z.custom<readonly number[]>(
  // JSON reads 1e999 as infinite, which no measurement writes.
  (value) => Array.isArray(value) && value.every((each) => Number.isFinite(each)),
  'not a list of numbers',
);

const series = z
  .looseObject({
    metric: z.string(),
    values: numbers,
    within: labels.optional(),
    at: numbers.optional(),
    resolution: numbers.optional(),
  })
  .refine(({ values, at }) => at === undefined || at.length === values.length, '`at` and `values` differ in length')
  .refine(
    ({ values, resolution }) => resolution === undefined || resolution.length === values.length,
    '`resolution` and `values` differ in length',
  );

const caution = z.looseObject({ code: z.string(), sentence: z.string(), about: z.string().optional() });

const setting = z.looseObject({
  name: z.string(),
  requested: z.string(),
  effective: z.string().nullable(),
  verdict: z.enum(['as requested', 'adjusted', 'without effect', 'unknown', 'not reported']),
  note: z.string().optional(),
});

const artefact = z.looseObject({
  name: z.string(),
  sha256: hash,
  bytes: count,
  path: z.string().refine((path) => path.startsWith('logs/') && isPlainPath(path), 'is no file of the folder logs/'),
});

const moment = z.looseObject({ name: z.string(), atSeconds: z.number(), text: z.string().optional() });

const outcome = z.enum(['ok', 'failed', 'timeout', 'crashed', 'skipped']);

const trial = z.looseObject({
  type: z.literal('trial'),
  trialId: z.string(),
  variantId: z.string(),
  cell: labels,
  block: count,
  position: count,
  startedAt: instant,
  durationSeconds: z.number(),
  counted: z.boolean(),
  outcome,
  reason: z.string().optional(),
  reasonCode: z.enum(['no-server', 'unsupported', 'given-up', 'partner-without-server', 'options-refused']).optional(),
  givenUpAfter: z.int().positive().optional(),
  cells: z.array(z.looseObject({ within: labels, outcome, reason: z.string().optional() })).optional(),
  buildId: z.string().optional(),
  argv: z.array(z.string()).optional(),
  settings: z.array(setting).optional(),
  variables: z.record(z.string(), z.string()).optional(),
  variablesOfLine: z.int().positive().optional(),
  samples: z.array(series),
  moments: z.array(moment).optional(),
  cautions: z.array(caution),
  artefacts: z.array(artefact),
  key: z.string().optional(),
  attempt: z.int().positive().optional(),
  duet: z.looseObject({ with: z.string(), cores: z.string() }).optional(),
  machine: z.string().optional(),
  reused: z.looseObject({ runId: folderName, line: z.int().positive(), hash }).optional(),
});

const kinds = {
  run: z.looseObject({
    type: z.literal('run'),
    format: z.int().positive(),
    toolVersion: z.string(),
    measuringRevision: z.int().positive().optional(),
    runId: folderName,
    studyId: folderName,
    studyHash: hash,
    startedAt: instant,
    seed: z.int(),
    profile: z.string().nullable(),
    command: z.string(),
    draft: json,
    plan: json,
    shard: z.looseObject({ index: z.int().positive(), count: z.int().positive() }).optional(),
    rerun: z
      .looseObject({
        of: z.looseObject({ studyId: folderName, runId: folderName, head: hash }),
        factor: z.string(),
        level: label,
        source: z.string(),
        control: z.looseObject({ level: label, is: label }),
      })
      .optional(),
    mergedFrom: z.array(z.looseObject({ machine: z.string(), runId: folderName, head: hash })).optional(),
  }),
  host: z.looseObject({ type: z.literal('host'), at: instant, hostClass: json, facts: json }),
  server: z.looseObject({
    type: z.literal('server'),
    at: instant,
    buildId: z.string(),
    family: z.enum(['mariadb', 'mysql']),
    version: z.string(),
    sourceRevision: z.string().nullable(),
    executable: z.string(),
    executableSha256: hash,
    obtained: json,
    toolchain: json,
  }),
  trial,
  canary: z.looseObject({
    type: z.literal('canary'),
    at: instant,
    block: count,
    values: z.record(z.string(), z.number()),
    machine: z.string().optional(),
  }),
  note: z.looseObject({
    type: z.literal('note'),
    at: instant,
    event: z.enum(['interrupted', 'resumed', 'torn tail dropped', 'skipped', 'other']),
    text: z.string(),
    machine: z.string().optional(),
  }),
  end: z.looseObject({
    type: z.literal('end'),
    at: instant,
    trials: count,
    ok: count,
    complete: z.boolean(),
    endedBy: z.enum(['until', 'budget']).optional(),
  }),
} as const;

/** The entry that a body holds, or what is wrong with it, in words that follow "journal.jsonl, line 12: ". */
export function checkEntry(value: unknown): { readonly entry: Entry } | { readonly wrong: string } {
  if (typeof value !== 'object' || value === null) return { wrong: 'the body is no object' };
  const { type, format } = value as { readonly type?: unknown; readonly format?: unknown };
  // Before the shape: a newer format may well have another one.
  if (type === 'run' && typeof format === 'number' && format > FORMAT_VERSION) {
    return {
      wrong: `the journal is of format ${format}; this version of benchbook reads formats up to ${FORMAT_VERSION}. Update benchbook to read it`,
    };
  }
  if (typeof type !== 'string' || !Object.hasOwn(kinds, type)) {
    return { wrong: `no kind of entry is called ${JSON.stringify(type) ?? 'nothing'}` };
  }
  const checked = kinds[type as keyof typeof kinds].safeParse(value);
  // The value as parsed, not zod's copy: same content, half the memory.
  if (checked.success) return { entry: value as Entry };
  const issue = checked.error.issues[0]!;
  const where = issue.path.map(String).join('.');
  return { wrong: `the ${type} entry is malformed${where === '' ? '' : ` at ${where}`}: ${issue.message}` };
}
