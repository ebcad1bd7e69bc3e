import type { Analysis } from '../analysis/analysis.ts';
import type { Draft } from '../draft/types.ts';
import type { JsonValue, ServerEntry, TrialEntry } from '../journal/entry.ts';
import type { Block, CellValue, Table } from './document.ts';
import { cellText, slug } from './names.ts';
import type { RunData } from './run-data.ts';

/** The part of the journaled plan that readers need. */
interface PlanFacts {
  readonly seed: number;
  readonly excluded: readonly { readonly cell: Record<string, string>; readonly reason: string }[];
}

/** A part of the report and the tables that it shows. */
export interface Part {
  readonly blocks: readonly Block[];
  readonly tables: readonly Table[];
}

/** How it was measured: design, machine, builds, options, command lines, metrics. */
export function methodsPart(data: RunData, draft: Draft, analysis: Analysis): Part {
  const builds = buildsTable(data.servers);
  const metrics = metricsTable(draft);
  const plan = data.run.plan as unknown as PlanFacts;
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: 'Methods', id: 'methods' },
    { type: 'prose', content: [designText(data, draft, plan, analysis)] },
    { type: 'heading', level: 3, text: 'Machine', id: 'machine' },
    { type: 'facts', items: machineFacts(data) },
    { type: 'heading', level: 3, text: 'Server builds', id: 'builds' },
    {
      type: 'table',
      id: 'table-builds',
      title: ['Builds as found, by their own word and hash'],
      table: builds.name,
      notes: [],
    },
    ...data.servers.map(
      (server): Block => ({
        type: 'details',
        id: `build-${server.buildId}`,
        summary: `How ${server.version} was obtained, and its toolchain`,
        blocks: [
          {
            type: 'facts',
            items: [...flatFacts(server.obtained, 'obtained'), ...flatFacts(server.toolchain, 'toolchain')],
          },
        ],
      }),
    ),
    { type: 'heading', level: 3, text: 'Command lines', id: 'commands' },
    ...commandBlocks(data),
    { type: 'heading', level: 3, text: 'Metrics', id: 'metrics' },
    {
      type: 'table',
      id: 'table-metrics',
      title: ['What was measured, and how finely'],
      table: metrics.name,
      notes: cautionNotes(draft),
    },
  ];
  if (plan.excluded.length > 0) {
    blocks.push(
      { type: 'heading', level: 3, text: 'Excluded variants', id: 'excluded' },
      { type: 'facts', items: plan.excluded.map(({ cell, reason }) => ({ term: cellText(cell), text: reason })) },
    );
  }
  return { blocks, tables: [builds, metrics] };
}

function designText(data: RunData, draft: Draft, plan: PlanFacts, analysis: Analysis): string {
  const counted = data.trials.filter((trial) => trial.counted);
  const blocks = new Set(counted.map((trial) => trial.block)).size;
  const variants = new Set(counted.map((trial) => trial.variantId)).size;
  const first = data.trials.length - counted.length;
  const sentences = [
    `${counted.length} trials: ${variants} variants in ${blocks} randomised complete blocks (seed ${plan.seed}), so that a drift of the machine meets every variant alike.`,
    'A trial is a fresh copy of a pristine data directory, a fresh server, the measurements in the order declared, and a stop.',
    first > 0
      ? `${first} first start${first === 1 ? '' : 's'} per build came before block 1 and ${first === 1 ? 'is' : 'are'} in no number.`
      : '',
    'The trial is the unit of replication: a value is the median over trials, its interval the 95 % order-statistic interval of the median (interpolated after Hettmansperger and Sheather), and a ratio is the median of the ratios within blocks.',
    `A difference below ${Math.round(draft.threshold * 1000) / 10} % is held to be of no practical relevance.`,
    analysis.cells.length > 0 ? '' : 'No trial has been measured yet.',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

function machineFacts(data: RunData): { term: string; text: string }[] {
  const host = data.hosts.at(-1);
  return host ? flatFacts(host.facts, '') : [{ term: 'machine', text: 'no facts were recorded' }];
}

/** Nested JSON as terms and texts: `memory.total`. */
function flatFacts(value: JsonValue, name: string): { term: string; text: string }[] {
  if (value === null) return [{ term: name, text: 'not known' }];
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
    return [{ term: name, text: value.join(', ') }];
  if (typeof value !== 'object') return [{ term: name, text: String(value) }];
  return Object.entries(value).flatMap(([key, inner]) =>
    flatFacts(inner as JsonValue, name === '' ? key : `${name}: ${key}`),
  );
}

function buildsTable(servers: readonly ServerEntry[]): Table {
  return {
    name: 'builds',
    columns: [
      { key: 'family', title: 'family', kind: 'text' },
      { key: 'version', title: 'version', kind: 'text' },
      { key: 'revision', title: 'source revision', kind: 'code' },
      { key: 'sha256', title: 'SHA-256 of the executable', kind: 'code' },
    ],
    rows: servers.map((server) => [
      server.family,
      server.version,
      server.sourceRevision ?? 'not told',
      server.executableSha256,
    ]),
  };
}

/** The command line of each variant's first trial; they differ in private paths alone from trial to trial. */
function commandBlocks(data: RunData): Block[] {
  const seen = new Set<string>();
  return data.trials.flatMap((trial): Block[] => {
    if (!trial.counted || !trial.argv || seen.has(trial.variantId)) return [];
    seen.add(trial.variantId);
    return [{ type: 'code', title: cellText(trial.cell), language: 'sh', text: commandLine(trial) }];
  });
}

/** Ready to paste, an option a line. */
function commandLine(trial: TrialEntry): string {
  return trial.argv!.map(quote).join(' \\\n  ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./{}-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function metricsTable(draft: Draft): Table {
  const rows = Object.entries(draft.metrics).map(([address, metric]): CellValue[] => [
    address,
    metric.title ?? '',
    { B: 'bytes', s: 'seconds', '1': 'count', '1/s': 'per second', 'B/s': 'bytes per second' }[metric.unit],
    metric.better,
    metric.resolution === undefined ? null : `${metric.resolution} ${metric.unit}`,
  ]);
  return {
    name: 'metrics',
    columns: [
      { key: 'metric', title: 'metric', kind: 'code' },
      { key: 'title', title: 'what', kind: 'text' },
      { key: 'unit', title: 'unit', kind: 'text' },
      { key: 'better', title: 'better', kind: 'text' },
      { key: 'resolution', title: 'resolution', kind: 'text' },
    ],
    rows,
  };
}

function cautionNotes(draft: Draft): string[] {
  return Object.entries(draft.metrics).flatMap(([address, metric]) =>
    metric.caution ? [`${address}: ${metric.caution}`] : [],
  );
}

/** An anchor for a variant. */
export function variantAnchor(cell: TrialEntry['cell']): string {
  return slug(cellText(cell));
}
