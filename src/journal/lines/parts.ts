import { z } from 'zod';
import { folderNameFault, isPlainPath } from '../../lib/files/folder-names.ts';
import type { JsonValue } from '../../lib/json.ts';

// What the entries of a journal are made of. `entry.ts` takes its types from here: each is declared once.

export const json = z.custom<JsonValue>((value) => value !== undefined, 'missing');
export const count = z.int().nonnegative();
export const label = z.union([z.string(), z.number(), z.boolean()]);
/** Labels by factor name. */
export const labels = z.record(z.string(), label);
export const hash = z.string().regex(/^[0-9a-f]{64}$/, 'not a SHA-256 in hexadecimal');
/** A text that becomes the name of a folder; the journal may come from another machine. */
export const folderName = z.string().superRefine((name, context) => {
  const fault = folderNameFault(name);
  if (fault !== null)
    context.addIssue({ code: 'custom', message: `${JSON.stringify(name)} names no folder: ${fault}` });
});
/** ISO 8601, UTC. */
export const instant = z.iso.datetime();
/** The machine, in a journal merged from several. */
export const machine = z.string().optional();

/** z.array looks at each number by itself; a plain loop is ten times faster, and a journal may hold millions. */
const numbers = z.custom<readonly number[]>(
  // JSON reads 1e999 as infinite, which no measurement writes.
  (value) => Array.isArray(value) && value.every((each) => Number.isFinite(each)),
  'not a list of numbers',
);

export const series = z
  .object({
    /** `measurement.metric`, the address used everywhere. */
    metric: z.string(),
    values: numbers,
    /** Levels of within factors at which it was taken. */
    within: labels.optional(),
    /** Offsets from the start of the measurement in seconds, one per value, for time series. */
    at: numbers.optional(),
    /** The step within which each value is known, where that depends on the value: a server that prints three digits. */
    resolution: numbers.optional(),
  })
  .refine(({ values, at }) => at === undefined || at.length === values.length, '`at` and `values` differ in length')
  .refine(
    ({ values, resolution }) => resolution === undefined || resolution.length === values.length,
    '`resolution` and `values` differ in length',
  );

export const caution = z.object({
  code: z.string(),
  sentence: z.string(),
  /** The metric, option or measurement concerned. */
  about: z.string().optional(),
});

export const setting = z.object({
  name: z.string(),
  requested: z.string(),
  effective: z.string().nullable(),
  verdict: z.enum(['as requested', 'adjusted', 'without effect', 'unknown', 'not reported']),
  note: z.string().optional(),
});

export const artefact = z.object({
  name: z.string(),
  sha256: hash,
  bytes: count,
  /** Path below the run folder. */
  path: z.string().refine((path) => path.startsWith('logs/') && isPlainPath(path), 'is no file of the folder logs/'),
});

export const moment = z.object({ name: z.string(), atSeconds: z.number(), text: z.string().optional() });

export const outcome = z.enum(['ok', 'failed', 'timeout', 'crashed', 'skipped']);

export const reasonCode = z.enum(['no-server', 'unsupported', 'given-up', 'partner-without-server', 'options-refused']);

/** This run's share of the blocks, where several machines share them: 2 of 5 runs blocks 2, 7, 12 … */
export const shard = z.object({ index: z.int().positive(), count: z.int().positive() });

export const rerun = z.object({
  /** The earlier run, with the hash of its journal's last line. */
  of: z.object({ studyId: folderName, runId: folderName, head: hash }),
  factor: z.string(),
  /** The level that was replaced; it keeps its label. */
  level: label,
  /** What stands in its place, as on the command line: `debian:trixie`. */
  source: z.string(),
  /** The level measured in the same blocks as a control: `level` here is the same server as `is` in the earlier run. */
  control: z.object({ level: label, is: label }),
});
