import { basename, join } from 'node:path';
import { makeDraft } from '../../draft/draft.ts';
import type { RerunRecord, RunEntry } from '../../journal/entry.ts';
import { readJournal } from '../../journal/read.ts';
import { intactRun } from '../../journal/verify.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { argvText } from '../../lib/process/shell-quote.ts';
import { suggestion } from '../../lib/suggestions.ts';
import type { Plan } from '../../plan/plan.ts';
import { replaceLevel } from '../../plan/rerun.ts';
import { parseFormats } from '../../render/formats.ts';
import { sortEntries } from '../../report/run-data.ts';
import type { Study } from '../../study/study.ts';
import type { Primitive } from '../../study/types.ts';
import { listRuns, newRunId, OUTPUT, runFolder } from '../places/runs.ts';
import { parseSource } from '../places/sources.ts';
import { displayFile, openStudyOfRun } from '../places/studies.ts';
import { exitOf, measureAndReport } from '../run/measure-and-report.ts';
import { keepOf } from '../run/plan-options.ts';
import { tellWithoutEffect } from '../run/without-effect.ts';

interface RerunOptions {
  readonly replace: readonly string[];
  readonly againstOld?: boolean;
  readonly fresh?: boolean;
  readonly keep?: string;
  readonly force?: boolean;
  readonly check?: boolean;
  readonly format?: string;
}

/**
 * `benchbook rerun RUN --replace FACTOR.LEVEL=SOURCE`: the same plan, seed and settings with another server at one level.
 *
 *   1 run ──► its plan, and the study as it was run
 *   2 plan ──► the same with one level replaced, and its control
 *   3 measured and rendered as `run` does it
 */
export async function rerun(wanted: string, options: RerunOptions): Promise<number> {
  const keep = keepOf(options.keep);
  const formats = parseFormats(options.format);
  const folder = await runFolder(wanted); // 1
  const { entries, head } = (await intactRun(folder)).journal;
  const { run } = sortEntries(entries);
  refuseRerunOfRerun(run);
  const original = await openStudyOfRun(run, folder);
  const { factor, level, source: text } = parseReplace(oneOf(options.replace), original);
  const source = await parseSource(text);
  const againstOld = options.againstOld ?? false;
  const { study, plan, control } = replaceLevel(original, run.plan as unknown as Plan, {
    factor,
    level,
    source,
    againstOld,
  }); // 2
  const record: RerunRecord = {
    of: { studyId: run.studyId, runId: run.runId, head },
    factor,
    level,
    source: text,
    control,
  };
  const fresh = join(process.cwd(), OUTPUT, run.studyId, newRunId(new Date()));
  const begun = await unfinished(record, plan);
  if (options.fresh && begun === null)
    tellWithoutEffect([
      '--fresh changes nothing: this rerun was not begun before, and a rerun measures all of its trials.',
    ]);
  const required = [
    { factor, level, asked: `--replace ${options.replace.join(' ')}` },
    ...(againstOld ? [{ factor, level: control.level, asked: '--against-old' }] : []),
  ];
  const result = await measureAndReport({
    study,
    draft: makeDraft(study, displayFile(original.file)),
    plan,
    runDirectory: (options.fresh ? null : begun) ?? fresh,
    otherDirectory: fresh,
    command: commandLine(run, options),
    keep,
    required,
    force: options.force ?? false,
    formats,
    rerun: record,
  }); // 3
  // By name: `latest` is another run by now.
  const names = [run.runId, basename(result.runDirectory)].map((runId) => `${run.studyId}@${runId}`);
  console.log(`what changed, claim by claim: benchbook compare ${names.join(' ')}`);
  return exitOf(result, options.check ?? false);
}

/** The newest run of the study, where it is this very rerun, begun before and not ended. */
async function unfinished(record: RerunRecord, plan: Plan): Promise<string | null> {
  const newest = (await listRuns(record.of.studyId)).at(-1);
  if (newest === undefined) return null;
  const folder = join(process.cwd(), OUTPUT, record.of.studyId, newest);
  const { entries } = await readJournal(folder, { torn: 'drop' }).catch(() => ({ entries: [] }));
  const [first] = entries;
  const isThis =
    first?.type === 'run' &&
    JSON.stringify(first.rerun) === JSON.stringify(record) &&
    JSON.stringify(first.plan) === JSON.stringify(plan);
  return isThis && !entries.some(({ type }) => type === 'end') ? folder : null;
}

/** Replaces one level per rerun: with two, the comparison could not show which one caused a change. */
function oneOf(replace: readonly string[]): string {
  const [first, second] = replace;
  if (first !== undefined && second === undefined) return first;
  throw new BenchbookError('usage', `--replace is given ${replace.length} times; a rerun replaces one level.`, {
    hint: 'make a rerun for each, and compare them one by one',
  });
}

function refuseRerunOfRerun({ runId, studyId, rerun }: RunEntry): void {
  if (rerun === undefined) return;
  throw new BenchbookError('usage', `Run ${runId} is itself a rerun, with a level of its own that stood for another.`, {
    hint: `rerun the run that it repeats: ${studyId}@${rerun.of.runId}`,
  });
}

/** `server.10.5=debian:trixie`: labels may hold dots and equal signs, so that the study's own names decide where they end. */
function parseReplace(text: string, study: Study): { factor: string; level: Primitive; source: string } {
  const split = /^(.*?)=((?:debian|installed|tarball|git|external|\w+):.*)$/.exec(text);
  const names = study.factors.map(({ name }) => name);
  const example = `--replace ${names[0]}.${study.factors[0]!.levels[0]!.label}=debian:trixie`;
  if (!split) {
    throw new BenchbookError('usage', `--replace ${text} is not of the form FACTOR.LEVEL=SOURCE.`, {
      hint: `for example ${example}`,
    });
  }
  const [, place, source] = split as unknown as [string, string, string];
  const factor = study.factors.find(({ name }) => place.startsWith(`${name}.`));
  if (!factor) {
    const given = place.split('.', 1)[0]!;
    throw new BenchbookError('usage', `--replace names an unknown factor '${given}' of study ${study.id}.`, {
      hint: suggestion(given, names),
    });
  }
  const label = place.slice(factor.name.length + 1);
  const level = factor.levels.find((each) => String(each.label) === label);
  if (level) return { factor: factor.name, level: level.label, source };
  throw new BenchbookError('usage', `Factor ${factor.name} of study ${study.id} has no level '${label}'.`, {
    hint: suggestion(
      label,
      factor.levels.map((each) => String(each.label)),
    ),
  });
}

function commandLine(run: RunEntry, { replace, againstOld, keep }: RerunOptions): string {
  const words = [`npx benchbook rerun ${run.studyId}@${run.runId}`, `--replace ${argvText(replace)}`];
  return [...words, ...(againstOld ? ['--against-old'] : []), ...(keep ? [`--keep ${keep}`] : [])].join(' ');
}
