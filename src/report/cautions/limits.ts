import type { Analysis } from '../../analysis/analysis.ts';
import { count } from '../../lib/units.ts';
import { escapeMarkdown } from '../claims.ts';
import type { Block } from '../document.ts';
import { cellText } from '../names.ts';
import type { RunData } from '../run-data.ts';
import { isRecord } from '../sections/facts.ts';
import type { Part } from '../sections/part.ts';
import { cautionTable, withRanges } from './caution-table.ts';

/** Every caution in one place, each once, with how many trials it concerns. */
export function limitsPart(data: RunData, analysis: Analysis, referenced: readonly string[]): Part {
  const notes = data.notes.map((note) => `${note.event} at ${note.at}: ${note.text}`);
  const content = [...ofTrials(data), ...ofBuilds(data), ...ofAnalysis(analysis, referenced), ...notes];
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: 'Limitations', id: 'limits' },
    {
      type: 'prose',
      content: [
        content.length === 0
          ? 'No caution was raised. One machine, one run: the numbers hold for the builds, settings and host named above.'
          : content.map((sentence) => `- ${escapeMarkdown(sentence)}`).join('\n'),
      ],
    },
  ];
  const placed = cautionTable(analysis, referenced);
  return { blocks: [...blocks, ...placed.blocks], tables: placed.tables };
}

/** Cautions raised while measuring, those that differ in numbers alone as one, with the number of trials that each concerns. */
function ofTrials(data: RunData): string[] {
  const counted = data.trials.filter((trial) => trial.counted);
  const found = new Map<string, { readonly sentences: Set<string>; trials: number }>();
  for (const trial of counted) {
    for (const { code, about, sentence } of trial.cautions) {
      const kind = `${code} ${about ?? ''} ${sentence.replace(/\d+(\.\d+)?/g, '#')}`;
      const known = found.get(kind) ?? { sentences: new Set(), trials: 0 };
      known.sentences.add(sentence);
      known.trials += 1;
      found.set(kind, known);
    }
  }
  return [...found.values()].map(
    ({ sentences, trials }) => `${withRanges([...sentences])} (${trials} of ${count(counted.length, 'trial')})`,
  );
}

const MADE_WITH: Readonly<Record<string, string>> = {
  compiler: 'compiler',
  flags: 'compiler flags',
  buildType: 'build type',
  libc: 'C library',
  allocator: 'allocator',
  ssl: 'TLS library',
  aio: 'asynchronous I/O',
};

/** In what the builds differ beside their version. */
function ofBuilds({ servers }: RunData): string[] {
  const made = servers.map(({ toolchain }) => (isRecord(toolchain) ? toolchain : {}));
  const differing = Object.entries(MADE_WITH).flatMap(([key, what]) => {
    const found = new Set(made.map((each) => each[key] ?? 'not known').map(String));
    return found.size > 1 ? [`${what} (${[...found].sort().join(', ')})`] : [];
  });
  if (differing.length === 0) return [];
  return [`The builds differ in more than their version: ${differing.join('; ')}.`];
}

/** Cautions of the analysis about the whole run, or about a metric that the report speaks of; those about single cells stand in a table. */
function ofAnalysis(analysis: Analysis, referenced: readonly string[]): string[] {
  const found = new Map<string, Set<string>>();
  for (const caution of analysis.cautions) {
    if (caution.metric !== undefined && (!referenced.includes(caution.metric) || caution.cell !== undefined)) continue;
    const places = found.get(caution.sentence) ?? new Set();
    const place = [caution.metric, caution.cell && cellText(caution.cell)].filter(Boolean).join(' at ');
    if (place !== '') places.add(place);
    found.set(caution.sentence, places);
  }
  return [...found].map(([sentence, places]) =>
    places.size === 0 ? sentence : `${sentence} (${[...places].join('; ')})`,
  );
}
