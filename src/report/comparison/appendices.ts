import type { Block, Table } from '../document.ts';
import { samplesId } from '../names.ts';
import { commandBlocks } from '../sections/commands.ts';
import { flatFacts } from '../sections/facts.ts';
import type { Part } from '../sections/part.ts';
import { measurementTables } from '../tables/sample-tables.ts';
import { samplesTable, summariesTable, trialsTable } from '../tables/tables.ts';
import type { Side, Sides } from './sides.ts';

/** Both raw data sets, each under its own name, and how to make everything again. */
export function comparisonAppendices(sides: Sides, command: string): Part {
  const both = [sides.before, sides.after].map(rawPart);
  const blocks: Block[] = [
    ...both.flatMap((part) => part.blocks),
    ...environmentBlocks(sides),
    ...studyBlocks(sides),
    { type: 'heading', level: 2, text: 'How to make it again', id: 'again' },
    {
      type: 'code',
      language: 'sh',
      text: [sides.before.data.run.command, sides.after.data.run.command, command].join('\n'),
    },
  ];
  return { blocks, tables: both.flatMap((part) => part.tables) };
}

function rawPart(side: Side): Part {
  const { name, data, draft, analysis, head } = side;
  const named = (table: Table): Table => ({ ...table, name: `${name} ${table.name}` });
  const measurements = Object.keys(draft.measurements);
  const shown = measurements.map((each) =>
    measurementTables(each, data, draft).map(({ table, isInTime }) => ({ table: named(table), isInTime })),
  );
  const trials = named(trialsTable(data, draft));
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: `Raw data, ${name}: run ${data.run.runId}`, id: `${name}-raw` },
    {
      type: 'prose',
      content: [
        `The same values stand, one a row and in base units, in \`data/${name}-samples.csv\`. The journal's last line has the hash \`${head}\`; the journal itself is attached as \`${name}.journal.jsonl\`.`,
      ],
    },
    ...measurements.flatMap((each, index): Block[] => [
      {
        type: 'heading',
        level: 3,
        text: `Samples of ${each}, ${name}`,
        id: `${name}-${samplesId(`${each}.`)}`,
      },
      ...shown[index]!.map(({ table, isInTime }, part) =>
        dense(
          table,
          `Every value that ${each} took${isInTime && !/over ?time$/i.test(each) ? ' over time' : ''} ${name}, in the order run`,
          `${name}-samples-${index}${part === 0 ? '' : `-${part + 1}`}`,
        ),
      ),
    ]),
    dense(trials, `Every trial ${name}, in the order run`, `${name}-trials`),
  ];
  return {
    blocks,
    tables: [
      ...shown.flatMap((own) => own.map(({ table }) => table)),
      trials,
      named(samplesTable(data, draft)),
      named(summariesTable(analysis, draft)),
    ],
  };
}

function environmentBlocks({ before, after }: Sides): Block[] {
  const of = ({ data }: Side): Block[] => [
    { type: 'facts', items: flatFacts(data.hosts.at(-1)?.facts ?? null, '') },
    ...commandBlocks(data.trials).filter(({ type }) => type !== 'details'),
  ];
  return [
    { type: 'heading', level: 2, text: 'Machine and command lines', id: 'environment' },
    {
      type: 'tabs',
      tabs: [
        { title: `Before: run ${before.data.run.runId}`, blocks: of(before) },
        { title: `After: run ${after.data.run.runId}`, blocks: of(after) },
      ],
    },
  ];
}

/** The study; once where both runs have the same text. */
function studyBlocks({ before, after }: Sides): Block[] {
  const same = before.data.run.studyHash === after.data.run.studyHash;
  const code = ({ draft }: Side, title: string): Block => ({
    type: 'code',
    title,
    language: 'ts',
    text: draft.source.text,
  });
  return [
    { type: 'heading', level: 2, text: 'The study', id: 'study-source' },
    ...(same
      ? [code(after, after.draft.source.file)]
      : [code(before, `${before.draft.source.file}, before`), code(after, `${after.draft.source.file}, after`)]),
  ];
}

function dense(table: Table, title: string, id: string): Block {
  return { type: 'table', id: `table-${id}`, title: [title], table: table.name, notes: [], dense: true };
}
