import { isRefusal } from '../../formats/logs/refusal.ts';
import type { ReasonCode, TrialEntry } from '../../journal/entry.ts';

/** How the reason of a trial begins that had no server. */
export const NO_SERVER = 'there is no server for it';

type Reasoned = Pick<TrialEntry, 'outcome' | 'reason' | 'reasonCode'>;

/** Why a trial was skipped or failed; undefined where the reason has no code. */
export function reasonCodeOf(entry: Reasoned): ReasonCode | undefined {
  return entry.reasonCode ?? codeInSentence(entry);
}

/** Whether a trial was left out because the build or this machine lacks what it asks for: that is an answer, and no fault of the run. */
export function isUnsupported(entry: Reasoned): boolean {
  return reasonCodeOf(entry) === 'unsupported';
}

/** Whether a trial failed in a way that is certain to repeat: its server refused the options that the variant asks for. */
export function isCertain(entry: Reasoned): boolean {
  return reasonCodeOf(entry) === 'options-refused';
}

const AT_START = /^The server (exited before it was ready|could not make a data directory)/;

/** Journals written before there were codes hold the sentence only. */
function codeInSentence({ outcome, reason = '' }: Reasoned): ReasonCode | undefined {
  if (outcome === 'failed') return AT_START.test(reason) && isRefusal(reason) ? 'options-refused' : undefined;
  if (outcome !== 'skipped') return undefined;
  if (reason.startsWith(NO_SERVER)) return 'no-server';
  if (reason.includes(NO_SERVER)) return 'partner-without-server';
  return reason.includes('given up after') ? 'given-up' : 'unsupported';
}
