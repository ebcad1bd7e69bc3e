import { basename } from 'node:path';
import type { Artefact, TrialEntry } from '../../journal/entry.ts';
import { readToEnd } from '../../journal/verify.ts';
import type { Journal } from '../../journal/write.ts';
import { sentenceOf } from '../../lib/errors.ts';
import { readInside } from '../../lib/files/below.ts';
import type { Report } from '../events.ts';
import type { PreviousRun } from './reuse.ts';

/** The journals of previous runs. A damaged one is reported and left out, because nothing in it can be trusted. */
export async function readPreviousRuns(
  directories: readonly string[],
  report: Report,
): Promise<readonly PreviousRun[]> {
  const runs: PreviousRun[] = [];
  for (const directory of directories) {
    try {
      const { journal, fault } = await readToEnd(directory);
      if (fault !== null) throw fault;
      const { entries, hashes } = journal;
      runs.push({ runId: basename(directory), entries, hashes });
    } catch (error) {
      report({ type: 'note', text: `nothing is kept from run ${basename(directory)}: ${sentenceOf(error)}` });
    }
  }
  return runs;
}

/** Copies the texts of reused trials into the new run folder; a trial whose text is lost gets a caution. */
export async function bringArtefacts(
  trials: readonly TrialEntry[],
  directories: readonly string[],
  journal: Journal,
): Promise<readonly TrialEntry[]> {
  return await Promise.all(
    trials.map(async (trial) => {
      const brought = await Promise.all(trial.artefacts.map((artefact) => bring(artefact, directories, journal)));
      const lost = trial.artefacts.filter((_, index) => !brought[index]).map(({ name }) => name);
      if (lost.length === 0) return trial;
      const sentence = `kept without ${lost.join(', ')}: the file in the earlier run is missing or was changed`;
      const artefacts = trial.artefacts.filter((_, index) => brought[index]);
      return { ...trial, artefacts, cautions: [...trial.cautions, { code: 'artefact-lost', sentence }] };
    }),
  );
}

async function bring(artefact: Artefact, directories: readonly string[], journal: Journal): Promise<boolean> {
  for (const directory of directories) {
    const bytes = await readInside(directory, artefact.path).catch(() => null);
    if (bytes === null) continue;
    const copy = await journal.putArtefact(artefact.name, bytes.toString('utf8'));
    if (copy.sha256 === artefact.sha256) return true;
  }
  return false;
}
