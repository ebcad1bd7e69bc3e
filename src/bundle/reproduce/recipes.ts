import { z } from 'zod';
import type { CellLabels, Entry, JsonValue, ServerEntry, TrialEntry } from '../../journal/entry.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { scriptStatements } from '../../measure/reproduce.ts';

/** What a variant needs to be tried again by hand. */
export interface Recipe {
  /** Names its folder: "1-pool-128M". */
  readonly name: string;
  readonly cell: CellLabels;
  readonly server: ServerEntry | null;
  /** Words before the server's own command: `taskset -c 0`. */
  readonly prefix: readonly string[];
  readonly argv: readonly string[];
  /** Options as asked for, without the paths of a trial. */
  readonly options: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What the server said it had, by option. */
  readonly effective: readonly {
    readonly name: string;
    readonly requested: string;
    readonly effective: string | null;
  }[];
  readonly data: RecordedData | null;
  readonly statements: readonly TimedStatement[];
  /** Measurements that the script does not make, in words. */
  readonly others: readonly string[];
  readonly host: JsonValue;
}

/** A data set as the journal keeps it. */
export interface RecordedData {
  readonly name: string;
  readonly database?: string;
  readonly schema?: readonly string[];
  readonly load?: readonly Readonly<Record<string, JsonValue>>[];
  readonly order?: string;
}

/** A statement whose time is taken; 0 times means that it is done once, before what follows. */
export interface TimedStatement {
  readonly measurement: string;
  readonly sql: string;
  readonly times: number;
}

interface Inputs {
  readonly setup?: { readonly env?: Record<string, string>; readonly data?: RecordedData; readonly host?: JsonValue };
  readonly measurements?: readonly { readonly made: readonly Made[] }[];
}

const made = z.looseObject({ name: z.string(), kind: z.string(), params: z.record(z.string(), z.unknown()) });
const other = z.string().refine((step) => !['sql', 'server rows', 'client rows'].includes(step));
const inputsShape = z.looseObject({
  setup: z
    .looseObject({
      env: z.record(z.string(), z.unknown()).optional(),
      data: z
        .looseObject({
          name: z.string(),
          database: z.string().optional(),
          schema: z.array(z.string()).optional(),
          load: z
            .array(
              z.union([
                z.looseObject({ step: z.literal('sql'), statements: z.array(z.string()) }),
                z.looseObject({ step: z.literal('server rows'), columns: z.record(z.string(), z.string()) }),
                z.looseObject({ step: z.literal('client rows'), columns: z.array(z.string()) }),
                z.looseObject({ step: other, argv: z.array(z.string()).optional() }),
              ]),
            )
            .optional(),
        })
        .nullish(),
    })
    .optional(),
  measurements: z
    .array(
      z.looseObject({
        made: z.array(made.extend({ inner: made.omit({ name: true }).loose().optional() })),
      }),
    )
    .optional(),
});

/** What a trial was made of, as far as a script is made of it. @throws BenchbookError `journal` where it has another form. */
function inputsOf({ trialId, inputs }: TrialEntry): Inputs {
  const checked = inputsShape.safeParse(inputs);
  if (checked.success) return inputs as unknown as Inputs;
  const { path, message } = checked.error.issues[0]!;
  throw new BenchbookError('journal', `The inputs of trial ${trialId} are malformed at ${path.join('.')}: ${message}`);
}

interface Made {
  readonly name: string;
  readonly kind: string;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly inner?: Omit<Made, 'name'>;
}

/** One for each variant that a server was started for, in the order of the plan. */
export function recipesOf(entries: readonly Entry[]): readonly Recipe[] {
  const trials = entries.filter((entry): entry is TrialEntry => entry.type === 'trial' && entry.counted);
  const inputs = new Map(trials.flatMap((trial) => (trial.key && trial.inputs ? [[trial.key, inputsOf(trial)]] : [])));
  const servers = new Map(entries.flatMap((entry) => (entry.type === 'server' ? [[entry.buildId, entry]] : [])));
  const first = new Map<string, TrialEntry>();
  for (const trial of trials) {
    if (trial.argv && trial.argv.length > 0 && !first.has(trial.variantId)) first.set(trial.variantId, trial);
  }
  const plan = entries[0]?.type === 'run' ? (entries[0].plan as { variants?: readonly { id: string }[] } | null) : null;
  const variants = Array.isArray(plan?.variants) ? plan.variants : [];
  const place = new Map(variants.map((variant, index) => [variant?.id, index]));
  const ordered = [...first.values()].sort((a, b) => (place.get(a.variantId) ?? 0) - (place.get(b.variantId) ?? 0));
  return ordered.map((trial, index) =>
    recipe(trial, index + 1, servers.get(trial.buildId ?? '') ?? null, inputs.get(trial.key ?? '') ?? {}),
  );
}

function recipe(trial: TrialEntry, number: number, server: ServerEntry | null, inputs: Inputs): Recipe {
  const argv = trial.argv!;
  const start = argv.findIndex((word) => /(?:^|\/)(?:ld-linux[\w.-]*|mariadbd|mysqld)$/.test(word));
  const each = (inputs.measurements ?? [])
    .flatMap((stage) => stage.made)
    .map((one) => ({
      ...one,
      ...(one.inner === undefined ? {} : { kind: one.inner.kind, params: one.inner.params }),
    }))
    .map(reproduced);
  return {
    name: folderName(trial.cell, number),
    cell: trial.cell,
    server,
    prefix: argv.slice(0, Math.max(0, start)),
    argv,
    options: optionsOf(argv),
    env: inputs.setup?.env ?? {},
    effective: trial.settings ?? [],
    data: inputs.setup?.data ?? null,
    statements: each.flatMap(({ statements }) => statements),
    others: each.flatMap(({ other }) => other ?? []),
    host: inputs.setup?.host ?? null,
  };
}

/** Paths of the trial and of its build: the script has its own. */
const OWN_PATHS =
  /^--(?:no-defaults|basedir|lc-messages-dir|character-sets-dir|plugin-dir|user|datadir|tmpdir|socket|pid-file|core-file|library-path)(?:=|$)/;

function optionsOf(argv: readonly string[]): string[] {
  const from = argv.indexOf('--no-defaults');
  return argv.slice(from + 1).filter((word) => word.startsWith('--') && word !== '--' && !OWN_PATHS.test(word));
}

const MOST_TIMES = 5;

/** What the script repeats of a measurement, or what is left to do by hand. */
function reproduced(one: Made): { readonly statements: readonly TimedStatement[]; readonly other: string | null } {
  const script = scriptStatements(one.kind, one.params);
  if (script === null) return { statements: [], other: otherText(one) };
  const statements = script.map(({ step, sql, times }) => ({
    measurement: step === undefined ? one.name : `${one.name}.${step}`,
    sql,
    times: Math.min(MOST_TIMES, times),
  }));
  return { statements, other: null };
}

function otherText({ name, kind, params }: Made): string {
  return `${name} (${kind}) ${JSON.stringify(params)}`;
}

function folderName(cell: CellLabels, number: number): string {
  const words = Object.entries(cell).map(([factor, label]) => `${factor}-${String(label)}`);
  const text = words
    .join('-')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/-+/g, '-')
    .slice(0, 60);
  return `${number}-${text}`.replace(/[-.]+$/, '');
}
