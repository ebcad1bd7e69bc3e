import type { Analysis } from '../analysis/analysis.ts';
import type { Caution } from '../journal/entry.ts';
import { escapeMarkdown } from './claims.ts';
import type { Block } from './document.ts';
import type { Part } from './methods.ts';
import { cellText } from './names.ts';
import type { RunData } from './run-data.ts';

/** Every caution in one place, each once, with how many trials it concerns: the limits of this report. */
export function limitsPart(data: RunData, analysis: Analysis): Part {
  const sentences = [
    ...gather(data),
    ...analysis.cautions.map((caution) =>
      sentenceOfCaution(caution, caution.cell ? ` (${cellText(caution.cell)})` : ''),
    ),
  ];
  const notes = data.notes.map((note) => `${note.event} at ${note.at}: ${note.text}`);
  const content = [...new Set(sentences), ...notes];
  const blocks: Block[] = [
    { type: 'heading', level: 2, text: 'Limits of this report', id: 'limits' },
    {
      type: 'prose',
      content: [
        content.length === 0
          ? 'No caution was raised. One machine, one run: the numbers hold for the builds, settings and host named above.'
          : content.map((sentence) => `- ${escapeMarkdown(sentence)}`).join('\n'),
      ],
    },
  ];
  return { blocks, tables: [] };
}

function gather(data: RunData): string[] {
  const found = new Map<string, { caution: Caution; trials: number }>();
  for (const trial of data.trials) {
    for (const caution of trial.cautions) {
      const key = `${caution.code} ${caution.about ?? ''} ${caution.sentence}`;
      const known = found.get(key);
      if (known) known.trials += 1;
      else found.set(key, { caution, trials: 1 });
    }
  }
  return [...found.values()].map(({ caution, trials }) =>
    sentenceOfCaution(caution, ` (${trials} of ${data.trials.length} trials)`),
  );
}

function sentenceOfCaution(caution: Caution, where: string): string {
  return `${caution.sentence}${where}`;
}
