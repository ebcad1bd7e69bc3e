import type { Draft } from '../../draft/types.ts';
import type { TrialEntry } from '../../journal/entry.ts';
import { agree, count } from '../../lib/units.ts';
import type { Block, CellValue, Table } from '../document.ts';
import { cellText, samplesId, slug } from '../names.ts';
import type { RunData } from '../run-data.ts';
import { measurementTables } from '../tables/sample-tables.ts';
import { trialsTable } from '../tables/tables.ts';
import { foldedBlock, longBlock } from './long.ts';
import type { Part } from './part.ts';

/** Raw samples, trials, settings, environment, error logs, the study, and how to run it again. */
export function appendicesPart(data: RunData, draft: Draft): Part {
  const parts = [
    samplesPart(data, draft),
    trialsPart(data, draft),
    settingsPart(data),
    environmentPart(data),
    logsPart(data),
    sourcePart(draft),
    againPart(data),
  ];
  return { blocks: parts.flatMap((part) => part.blocks), tables: parts.flatMap((part) => part.tables) };
}

function samplesPart(data: RunData, draft: Draft): Part {
  const measurements = Object.keys(draft.measurements);
  const tables = measurements.map((name) => measurementTables(name, data, draft));
  const blocks = measurements.flatMap((name, index): Block[] => [
    { type: 'heading', level: 3, text: `Samples of ${name}`, id: samplesId(`${name}.`) },
    ...longBlock(
      {
        id: `all-samples-${slug(name)}`,
        summary: `Samples of ${name}`,
        blocks: tables[index]!.map(({ table, isInTime }): Block => {
          const course = isInTime && !/over ?time$/i.test(name) ? ' over time' : '';
          return rawTable(table, `Every value that ${name} took${course}, in the order run`);
        }),
      },
      Math.max(0, ...tables[index]!.map(({ table }) => table.rows.length)),
      '`data/samples.csv`, which this PDF carries as an attachment',
    ),
  ]);
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'Raw samples', id: 'raw-samples' },
      {
        type: 'prose',
        content: [
          'The same values stand, one a row and in base units, in `data/samples.csv`; the numbers of this report are computed from them.',
        ],
      },
      ...blocks,
    ],
    tables: tables.flatMap((own) => own.map(({ table }) => table)),
  };
}

function trialsPart(data: RunData, draft: Draft): Part {
  const table = trialsTable(data, draft);
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'Trials', id: 'trials' },
      ...longBlock(
        { id: 'all-trials', summary: 'Every trial', blocks: [rawTable(table, 'Every trial in the order run')] },
        table.rows.length,
        'the HTML report, `data/trials.csv` and `journal.jsonl`, which this PDF carries as an attachment',
      ),
    ],
    tables: [table],
  };
}

/** A table of raw data. */
function rawTable({ name }: Table, title: string): Block {
  return { type: 'table', id: `table-${slug(name)}`, title: [title], table: name, notes: [], dense: true };
}

/**
 * Requested against effective, a row a variant and option; trials of a variant that disagree get rows of their own. Rows that are not as
 * requested come first, in a table of their own.
 */
function settingsPart(data: RunData): Part {
  const rows = new Map<string, CellValue[]>();
  for (const trial of data.trials) {
    for (const setting of trial.settings ?? []) {
      const row = [
        cellText(trial.cell),
        setting.name,
        setting.requested,
        setting.effective ?? 'not reported',
        setting.verdict,
        setting.note ?? null,
      ];
      rows.set(JSON.stringify(row), row);
    }
  }
  const columns = ['variant', 'option', 'requested', 'effective', 'verdict', 'note'].map((key, index) => ({
    key,
    title: key,
    kind: index > 0 && index < 4 ? ('code' as const) : ('text' as const),
  }));
  const table: Table = { name: 'settings', columns, rows: [...rows.values()] };
  const changed: Table = {
    name: 'settings not as requested',
    columns,
    rows: table.rows.filter((row) => row[4] !== 'as requested'),
  };
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'Requested and effective settings', id: 'settings' },
      ...(changed.rows.length === 0
        ? [{ type: 'prose', content: ['Every setting is as requested.'] } as const]
        : [rawTable(changed, 'Settings that are not as requested')]),
      foldedBlock(
        {
          id: 'all-settings',
          summary: count(table.rows.length, 'setting that the study asked for', 'settings that the study asked for'),
          blocks: [rawTable(table, 'What the study asked for, and what the server says it has')],
        },
        'the HTML report and `data/settings.csv`',
      ),
    ],
    tables: changed.rows.length === 0 ? [table] : [table, changed],
  };
}

/** Effective variables: those that differ between variants first, then all of them. */
function environmentPart(data: RunData): Part {
  const first = firstTrials(data).filter((trial) => trial.variables);
  const names = [...new Set(first.flatMap((trial) => Object.keys(trial.variables!)))].sort();
  const differing = names.filter((name) => new Set(first.map((trial) => trial.variables![name])).size > 1);
  const variants = first.map((trial) => cellText(trial.cell));
  const rowsFor = (wanted: readonly string[]) =>
    wanted.map((name): CellValue[] => [name, ...first.map((trial) => trial.variables![name] ?? 'not there')]);
  const differ: Table = { name: 'variables that differ', columns: columnsFor(variants), rows: rowsFor(differing) };
  const same = names.filter((name) => !differing.includes(name));
  const all: Table = {
    name: 'variables alike',
    columns: [
      { key: 'variable', title: 'variable', kind: 'code' },
      { key: 'value', title: 'value in every variant', kind: 'code' },
    ],
    rows: same.map((name) => [name, first[0]!.variables![name] ?? null]),
  };
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'Environment', id: 'environment' },
      {
        type: 'prose',
        content: ['Effective server variables, without those that only name paths, times or processes.'],
      },
      foldedBlock(
        {
          id: 'variables-differ',
          summary: `${count(differing.length, 'effective variable')} that ${agree(differing.length, 'differs', 'differ')} between variants`,
          blocks: [rawTable(differ, 'Effective variables that differ between variants')],
        },
        'the HTML report, `data/variables-that-differ.csv` and the journal',
      ),
      foldedBlock(
        {
          id: 'variables-alike',
          summary: `${count(same.length, 'effective variable')} that ${agree(same.length, 'is', 'are')} the same in every variant`,
          blocks: [{ type: 'code', language: 'text', text: same.map((name) => lineOf(name, first[0]!)).join('\n') }],
        },
        'the HTML report, `data/variables-alike.csv` and the journal',
      ),
    ],
    tables: [differ, all],
  };
}

function lineOf(name: string, { variables }: TrialEntry): string {
  return `${name} = ${String(variables![name] ?? '')}`.trimEnd();
}

function columnsFor(variants: readonly string[]): Table['columns'] {
  return [
    { key: 'variable', title: 'variable', kind: 'code' as const },
    ...variants.map((name) => ({ key: name, title: name, kind: 'code' as const })),
  ];
}

/** The stamped error log of each variant's first trial, and of every trial that did not end ok. */
function logsPart(data: RunData): Part {
  const logOf = (trial: TrialEntry): Block => {
    const title = `${cellText(trial.cell)}, block ${trial.block}${trial.outcome === 'ok' ? '' : `: ${trial.outcome}`}`;
    return {
      type: 'details',
      id: `log-${slug(cellText(trial.cell))}-${trial.block}-${trial.position}`,
      summary: title,
      blocks: [{ type: 'code', language: 'text', text: stampedLog(trial) }],
    };
  };
  const good = firstTrials(data);
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'Error logs', id: 'logs' },
      {
        type: 'prose',
        content: [
          'Each line is stamped on arrival, in seconds from the return of spawn. The whole logs are files below `logs/`, named by their SHA-256.',
        ],
      },
      ...data.trials.filter((trial) => trial.outcome !== 'ok').map(logOf),
      ...(good.length === 0
        ? []
        : [
            foldedBlock(
              {
                id: 'good-logs',
                summary: 'The error log of the first trial that ended ok, of each variant',
                blocks: good.map(logOf),
              },
              'the HTML report and the files below `logs/`',
            ),
          ]),
    ],
    tables: [],
  };
}

function stampedLog(trial: TrialEntry): string {
  const lines = (trial.moments ?? []).map(
    (moment) => `${moment.atSeconds.toFixed(4).padStart(9)}  ${moment.text ?? `— ${moment.name}`}`,
  );
  const reason = trial.reason === undefined ? [] : [`reason: ${trial.reason}`];
  const files = trial.artefacts.map((artefact) => `kept: ${artefact.path} (${artefact.name}, ${artefact.bytes} bytes)`);
  const kept = trial.cautions.filter(({ code }) => code === 'kept-files').map(({ sentence }) => sentence);
  return [...reason, ...lines, ...files, ...kept].join('\n') || 'nothing was logged';
}

function sourcePart(draft: Draft): Part {
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'The study', id: 'study-source' },
      ...longBlock(
        {
          id: 'study-text',
          summary: draft.source.file,
          blocks: [{ type: 'code', title: draft.source.file, language: 'ts', text: draft.source.text }],
        },
        draft.source.text.split('\n').length,
        '`study.ts`, which this PDF carries as an attachment',
      ),
    ],
    tables: [],
  };
}

function againPart(data: RunData): Part {
  const { run } = data;
  const steps = [
    run.command,
    `benchbook verify ${run.studyId}@${run.runId}`,
    `benchbook render ${run.studyId}@${run.runId}`,
  ];
  return {
    blocks: [
      { type: 'heading', level: 2, text: 'How to run it again', id: 'again' },
      {
        type: 'prose',
        content: [
          `With Benchbook ${run.toolVersion}: measure what is missing, check that the journal is intact, render it again.`,
        ],
      },
      { type: 'code', language: 'sh', text: steps.join('\n') },
    ],
    tables: [],
  };
}

function firstTrials(data: RunData): TrialEntry[] {
  const seen = new Set<string>();
  return data.trials.filter((trial) => {
    if (!trial.counted || trial.outcome !== 'ok' || seen.has(trial.variantId)) return false;
    seen.add(trial.variantId);
    return true;
  });
}
