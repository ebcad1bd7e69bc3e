import { z } from 'zod';
import {
  artefact,
  caution,
  count,
  folderName,
  hash,
  instant,
  json,
  labels,
  machine,
  moment,
  outcome,
  reasonCode,
  rerun,
  series,
  setting,
  shard,
} from './parts.ts';

// Fields that a schema does not name are kept: readers take the value as it was parsed, and a later version may write more.

const run = z.object({
  type: z.literal('run'),
  format: z.int().positive(),
  toolVersion: z.string(),
  /** How its trials were measured; 1 where absent. Reused trials have the same revision, because it is part of their keys. */
  measuringRevision: z.int().positive().optional(),
  runId: folderName,
  studyId: folderName,
  /** SHA-256 of the study's source text. */
  studyHash: hash,
  startedAt: instant,
  seed: z.int(),
  profile: z.string().nullable(),
  /** The command line that made this run, ready to paste. */
  command: z.string(),
  /** The `Draft`: all that rendering needs of the study. */
  draft: json,
  /** The `Plan`: variants, exclusions, replicates. */
  plan: json,
  /** Where the command named levels: `factor=level`. Absent in journals of earlier versions, whose command holds them. */
  only: z.array(z.string()).optional(),
  shard: shard.optional(),
  /** On a run that repeats an earlier one with a level replaced. */
  rerun: rerun.optional(),
  /** On a journal merged from several: where each part came from. */
  mergedFrom: z
    .array(z.object({ machine: z.string(), runId: folderName, head: hash, shard: shard.optional() }))
    .optional(),
  /** On a copy without private names: the journal that it was made from. */
  redactedFrom: z.object({ head: z.string(), lines: z.number() }).optional(),
});

const host = z.object({
  type: z.literal('host'),
  at: instant,
  machine,
  /** What decides comparability: CPU model, cores, RAM, kernel, file system, THP, virtualization. */
  hostClass: json,
  /** Facts of the machine, by topic, each a label and a text or number. */
  facts: json,
});

const server = z.object({
  type: z.literal('server'),
  at: instant,
  /** SHA-256 over the identity below, first 16 hex digits. */
  buildId: z.string(),
  family: z.enum(['mariadb', 'mysql']),
  /** As the running server reports it: "10.11.19-MariaDB-0+deb12u1". */
  version: z.string(),
  sourceRevision: z.string().nullable(),
  executable: z.string(),
  executableSha256: hash,
  /** How it was obtained: package names and versions, path, commit. */
  obtained: json,
  /** Compiler, flags, libc, allocator, AIO; null for what cannot be found out. */
  toolchain: json,
});

/** The part of a trial that has its own ending, where within levels ended in different ways. */
const levelOutcome = z.object({ within: labels, outcome, reason: z.string().optional() });

const trial = z.object({
  type: z.literal('trial'),
  trialId: z.string(),
  variantId: z.string(),
  cell: labels,
  /** From 1; 0 is the excluded first start of a build. */
  block: count,
  /** From 1: place in the block's order. */
  position: count,
  startedAt: instant,
  durationSeconds: z.number(),
  /** False for warm-up trials: kept, never in statistics. */
  counted: z.boolean(),
  outcome,
  /** For every outcome but ok: one sentence. */
  reason: z.string().optional(),
  /** Absent where the reason has no code, and in journals written before there were codes. */
  reasonCode: reasonCode.optional(),
  /** How many trials of the variant failed in a row before it was given up; absent where its first start was refused. */
  givenUpAfter: z.int().positive().optional(),
  /** Where within levels ended in different ways: those that did not end ok. The others keep their samples. */
  cells: z.array(levelOutcome).optional(),
  buildId: z.string().optional(),
  /** The exact command line, with named roots in place of paths. */
  argv: z.array(z.string()).optional(),
  settings: z.array(setting).optional(),
  /** The server's effective variables, name to value. */
  variables: z.record(z.string(), z.string()).optional(),
  /** In the file only: the line of the trial that had the same variables. Reading puts them back. */
  variablesOfLine: z.int().positive().optional(),
  samples: z.array(series),
  moments: z.array(moment).optional(),
  cautions: z.array(caution),
  artefacts: z.array(artefact),
  /** What decides whether the trial must be measured again, as 16 hex digits. Absent where there was no server. */
  key: z.string().optional(),
  /** What the key is made of; on the first trial of each key in a journal. */
  inputs: json.optional(),
  /** Which try this is, from 1; absent where the study asks for no retries. Only the last try counts. */
  attempt: z.int().positive().optional(),
  /** The trial that ran at the same time, on which cores this one ran, in a duet. */
  duet: z.object({ with: z.string(), cores: z.string() }).optional(),
  machine,
  /** Where this trial was measured first, when it was reused from an earlier run; it pairs only with trials of that run and block. */
  reused: z.object({ runId: folderName, line: z.int().positive(), hash }).optional(),
  /** What a measurement kept beside its numbers (a plan, a parsed dump), by measurement name. */
  details: json.optional(),
});

const canary = z.object({
  type: z.literal('canary'),
  at: instant,
  block: count,
  /** Seconds and rates by name. */
  values: z.record(z.string(), z.number()),
  machine,
});

const note = z.object({
  type: z.literal('note'),
  at: instant,
  event: z.enum(['interrupted', 'resumed', 'torn tail dropped', 'skipped', 'other']),
  /** Begins with the machine's name in a journal merged from several. */
  text: z.string(),
  machine,
});

const end = z.object({
  type: z.literal('end'),
  at: instant,
  trials: count,
  ok: count,
  /** True where every planned trial is in the journal, or the until rule of the plan ended it. */
  complete: z.boolean(),
  /** Why a run ended before its last block: the rule that was met, or the time that was up. */
  endedBy: z.enum(['until', 'budget']).optional(),
});

/** The schema of each kind of entry, by its `type`. */
export const entrySchemas = { run, host, server, trial, canary, note, end } as const;
