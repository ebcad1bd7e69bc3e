import type { Analysis } from '../../analysis/analysis.ts';
import type { Draft } from '../../draft/types.ts';
import { agree, count } from '../../lib/units.ts';
import { escapeMarkdown } from '../claims.ts';
import type { Block, CellValue, Table } from '../document.ts';
import { cellText } from '../names.ts';
import type { RunData } from '../run-data.ts';
import { buildDetails } from './builds.ts';
import { commandBlocks } from './commands.ts';
import { flatFacts } from './facts.ts';
import { foldedBlock } from './long.ts';
import type { Part } from './part.ts';

/** The part of the journaled plan that readers need. */
interface PlanFacts {
  readonly seed: number;
  readonly order?: string | { readonly duet: string };
  readonly excluded: readonly { readonly cell: Record<string, string>; readonly reason: string }[];
}

/** How it was measured: design, machine, builds, options, command lines, metrics. */
export function methodsPart(data: RunData, draft: Draft, analysis: Analysis): Part {
  const builds = buildsTable(data);
  const details = data.servers.map(buildDetails);
  const metrics = metricsTable(draft);
  const plan = data.run.plan as unknown as PlanFacts;
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: 'Methods', id: 'methods' },
    { type: 'prose', content: [designText(data, draft, plan, analysis)] },
    { type: 'heading', level: 3, text: 'Machine', id: 'machine' },
    ...machineBlocks(data),
    { type: 'heading', level: 3, text: 'Server builds', id: 'builds' },
    {
      type: 'table',
      id: 'table-builds',
      title: ['Builds as found, by their own word and hash'],
      table: builds.name,
      notes: [],
    },
    ...details.flatMap((part) => part.blocks),
    { type: 'heading', level: 3, text: 'Command lines', id: 'commands' },
    ...commandBlocks(data.trials),
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
  return { blocks, tables: [builds, metrics, ...details.flatMap((part) => part.tables)] };
}

/** The order of the trials, and what it does about drift. */
function orderText({ order = 'blocks', seed }: PlanFacts, blocks: number): string {
  if (typeof order === 'object') {
    return `${count(blocks, 'block')} in random order (seed ${seed}), the two levels of ${order.duet} measured at the same time on cores of their own, so that shared noise cancels in their ratio.`;
  }
  switch (order) {
    case 'interleaved':
      return `${count(blocks, 'block')}, each in declared order: a drift within a block meets the later variants more.`;
    case 'sequential':
      return `${count(blocks, 'repetition')}, all of a variant before the next: a drift of the machine looks like an effect.`;
    default:
      return `${count(blocks, 'randomised complete block')} (seed ${seed}), so that a drift of the machine meets every variant alike.`;
  }
}

/** Each copy made is recorded with its trial; a trial without one, where others have one, read a copy made before. */
function sharesCopies(trials: RunData['trials']): boolean {
  const made = trials.filter(
    (trial) => (trial.details as { 'host.copy'?: unknown } | undefined)?.['host.copy'] !== undefined,
  );
  return made.length > 0 && trials.some((trial) => trial.outcome === 'ok' && !made.includes(trial));
}

function designText(data: RunData, draft: Draft, plan: PlanFacts, analysis: Analysis): string {
  const counted = data.trials.filter((trial) => trial.counted);
  const blocks = new Set(counted.map((trial) => trial.block)).size;
  const variants = new Set(counted.map((trial) => trial.variantId)).size;
  const first = data.trials.length - counted.length;
  const sentences = [
    rerunText(data),
    `${count(counted.length, 'trial')}: ${count(variants, 'variant')} in ${orderText(plan, blocks)}`,
    `A trial is a fresh copy of a pristine data directory${sharesCopies(counted) ? ' (where no measurement changes the data, the copy that trials before it have read)' : ''}, a fresh server, the measurements in the order declared, and a stop.`,
    first > 0
      ? `${first === 1 ? 'One first start of the build' : `${first} first starts, one for each build,`} came before block 1; no number includes ${agree(first, 'it', 'them')}.`
      : '',
    'The trial is the unit of replication: a value is the median over trials, its interval the 95\u00a0% order-statistic interval of the median (interpolated after Hettmansperger and Sheather; where a bound would fall into a gap wider than half of the outer interval, the outer order statistic stands), and a ratio is the median of the ratios within blocks.',
    `A difference below ${Math.round(draft.threshold * 1000) / 10}\u00a0% is held to be of no practical relevance.`,
    analysis.cells.length > 0 ? '' : 'No trial has been measured yet.',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}

/** What a rerun repeats, and what is measured beside; empty for any other run. */
function rerunText({ run }: RunData): string {
  if (run.rerun === undefined) return '';
  const { of, factor, level, source, control } = run.rerun;
  const beside =
    control.level === control.is
      ? `${factor} ${control.level} is the control that both runs have.`
      : `The old server is measured beside it in the same blocks, as ${factor} ${control.level}.`;
  return escapeMarkdown(
    `This run repeats run ${of.runId} by the same plan and seed with ${source} in place of ${factor} ${level}. ${beside}`,
  );
}

/** What decides comparability is in sight; the rest can be unfolded. */
function machineBlocks(data: RunData): Block[] {
  const host = data.hosts.at(-1);
  if (!host) return [{ type: 'facts', items: [{ term: 'machine', text: 'no facts were recorded' }] }];
  return [
    { type: 'facts', items: flatFacts(host.hostClass, '') },
    foldedBlock(
      {
        id: 'machine-facts',
        summary: 'All facts recorded of the machine',
        blocks: [{ type: 'facts', items: flatFacts(host.facts, '') }],
      },
      'the HTML report and the journal',
    ),
  ];
}

/** The levels at which all trials of a build agree: `server 10.11`. */
function usedBy(buildId: string, trials: RunData['trials']): string {
  const own = trials.filter((trial) => trial.buildId === buildId && trial.counted);
  const [first] = own;
  if (!first) return 'no trial';
  const all = trials.filter((trial) => trial.counted);
  const telling = Object.entries(first.cell).filter(
    ([name, label]) =>
      own.every((trial) => trial.cell[name] === label) && all.some((trial) => trial.cell[name] !== label),
  );
  return telling.length === 0 ? 'all variants' : cellText(Object.fromEntries(telling));
}

function buildsTable({ servers, trials }: RunData): Table {
  return {
    name: 'builds',
    columns: [
      { key: 'used', title: 'used by', kind: 'text' },
      { key: 'family', title: 'family', kind: 'text' },
      { key: 'version', title: 'version', kind: 'text' },
      { key: 'revision', title: 'source revision', kind: 'code' },
      { key: 'sha256', title: 'SHA-256 of the executable', kind: 'code' },
    ],
    rows: servers.map((server) => [
      usedBy(server.buildId, trials),
      server.family,
      server.version,
      server.sourceRevision ?? 'not known',
      server.executableSha256,
    ]),
  };
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
