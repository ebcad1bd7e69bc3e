import type { TrialEntry } from '../../journal/entry.ts';
import { shellQuote } from '../../lib/process/shell-quote.ts';
import type { Block } from '../document.ts';
import { cellText } from '../names.ts';
import { foldedBlock } from './long.ts';

/** Command lines: for each build the first variant's in full and of its others what differs; all of them in full can be unfolded. */
export function commandBlocks(trials: readonly TrialEntry[]): readonly Block[] {
  const shown = firstOfEachVariant(trials);
  if (shown.length === 0) return [{ type: 'prose', content: ['No server was started.'] }];
  const builds = new Set(shown.map(({ buildId }) => buildId));
  const full = shown.map(
    (trial): Block => ({ type: 'code', title: cellText(trial.cell), language: 'sh', text: commandLine(trial.argv!) }),
  );
  return [
    ...[...builds].flatMap((build) => ofOneBuild(shown.filter(({ buildId }) => buildId === build))),
    ...(full.length < 2
      ? []
      : [
          foldedBlock(
            { id: 'all-commands', summary: 'The command line of every variant in full', blocks: full },
            'the HTML report and the journal',
          ),
        ]),
  ];
}

function ofOneBuild(trials: readonly TrialEntry[]): readonly Block[] {
  const [first, ...others] = trials as [TrialEntry, ...TrialEntry[]];
  const differences = others.map((trial) => ({
    term: cellText(trial.cell),
    text: difference(first.argv!, trial.argv!),
    code: true,
  }));
  return [
    { type: 'code', title: cellText(first.cell), language: 'sh', text: commandLine(first.argv!) },
    ...(differences.length === 0 ? [] : [{ type: 'facts', items: differences } as const]),
  ];
}

/** They differ in private paths alone from trial to trial. */
function firstOfEachVariant(trials: readonly TrialEntry[]): TrialEntry[] {
  const first = new Map<string, TrialEntry>();
  for (const trial of trials) {
    if (trial.counted && trial.argv && !first.has(trial.variantId)) first.set(trial.variantId, trial);
  }
  return [...first.values()];
}

function difference(base: readonly string[], other: readonly string[]): string {
  const added = other.filter((word) => !base.includes(word));
  const gone = base
    .filter((word) => !other.includes(word))
    .filter((word) => !added.some((each) => nameOf(each) === nameOf(word)));
  return [...added.map(quote), ...gone.map((word) => `without ${quote(word)}`)].join(' ') || 'the same';
}

function nameOf(word: string): string {
  return word.split('=', 1)[0]!;
}

/** Ready to paste, an option a line. */
function commandLine(argv: readonly string[]): string {
  return argv.map(quote).join(' \\\n  ');
}

/** Named folders such as {cache} stay readable. */
function quote(word: string): string {
  return shellQuote(word, '{}');
}
