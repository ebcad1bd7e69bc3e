import type { TrialEntry } from '../../journal/entry.ts';

const AT_START = /^The server (exited before it was ready|could not make a data directory)/;

/** What a server says of options, values and plugins that it will refuse whenever it is started with them. */
const REFUSED = new RegExp(
  [
    'unknown (variable|option)',
    'ambiguous option',
    'Error while setting value',
    'Unknown suffix',
    'requires an argument',
    'cannot take an argument',
    'Unknown/unsupported storage engine',
    'Unknown (character set|collation|locale)',
    'is not a (valid|compiled)',
    '(invalid|wrong|illegal) value',
    "Can't open shared library",
    "Can't find symbol",
  ].join('|'),
  'i',
);

/** Whether a trial failed in a way that is certain to repeat: its server refused to start with the options that the variant asks for. */
export function isCertain({ outcome, reason = '' }: Pick<TrialEntry, 'outcome' | 'reason'>): boolean {
  return outcome === 'failed' && AT_START.test(reason) && REFUSED.test(reason);
}
