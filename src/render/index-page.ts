import Handlebars from 'handlebars';
import type { Verdict } from '../report/document.ts';
import { fontFaceCss } from './figures/fonts.ts';
import { policy, styles, templateFiles } from './page/html.ts';

/** A run in the list; or one that cannot be read, and why. */
export type IndexRun = IndexedRun | { readonly runId: string; readonly why: string };

/** What the index page says of a run. */
export interface IndexedRun {
  readonly studyId: string;
  readonly runId: string;
  readonly title: string;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  readonly profile: string | null;
  /** What it repeats with which source in place of a level; null for a plain run. */
  readonly rerun: string | null;
  /** What part of the study it measured; absent where it is the whole. */
  readonly part?: string;
  readonly builds: readonly string[];
  readonly trials: number;
  readonly ok: number;
  /** False while it is measured, and for good where it was interrupted and not continued. */
  readonly ended: boolean;
  readonly claims: readonly {
    readonly id: string;
    readonly sentence: string;
    readonly verdict: Verdict;
    /** Shown in place of the verdict's name. */
    readonly label?: string;
    /** True where its kind wants another verdict. */
    readonly unwanted: boolean;
  }[];
  /** Reports in the run folder, by name. */
  readonly reports: readonly string[];
}

interface IndexedComparison {
  /** Below the index page's folder. */
  readonly folder: string;
  readonly title: string;
  readonly before: { readonly studyId: string; readonly runId: string };
  readonly after: { readonly studyId: string; readonly runId: string };
  readonly comparable: boolean;
  readonly claims: readonly { readonly id: string; readonly status: string; readonly sentence: string }[];
  readonly verdicts: Readonly<Record<string, number>>;
  readonly reports: readonly string[];
}

export interface IndexPage {
  readonly studies: readonly { readonly id: string; readonly runs: readonly IndexRun[] }[];
  readonly comparisons: readonly IndexedComparison[];
  /** `folder`: below the index page's folder. */
  readonly gallery: readonly { readonly folder: string; readonly card: IndexRun }[];
}

/** One page that leads to every run and comparison: one file, no request, relative links; a function of its input alone. */
export function indexHtml(page: IndexPage): string {
  const handlebars = Handlebars.create();
  handlebars.registerHelper('is', (value: unknown, word: string) => value === word);
  const files = templateFiles(undefined);
  for (const [name, text] of files('html', '.hbs')) handlebars.registerPartial(name, text);
  const strict = { strict: true, preventIndent: true };
  const title = 'Benchbook: studies and runs';
  const body = handlebars.compile('{{> index}}', strict)({ title, ...viewOf(page) });
  const css = `${fontFaceCss(body + title)}\n${styles(files('styles', '.css'), title)}\n${files('styles', '.css').get('index') ?? ''}`;
  return handlebars.compile(
    '{{> page}}',
    strict,
  )({
    title,
    isoDate: newestOf(page),
    body: new Handlebars.SafeString(body),
    css: new Handlebars.SafeString(css),
    scripts: [],
    specs: null,
    policy: policy(css, []),
  });
}

function viewOf({ studies, comparisons, gallery }: IndexPage) {
  return {
    studies: studies.map(({ id, runs }) => ({
      id,
      title: titleOf(runs) ?? id,
      runs: runs.map((run) => runView(run, `${id}/${run.runId}`)),
    })),
    comparisons: comparisons.map(comparisonView),
    gallery: gallery.map(({ folder, card }) => runView(card, folder)),
    isEmpty: studies.length === 0 && comparisons.length === 0 && gallery.length === 0,
  };
}

function titleOf(runs: readonly IndexRun[]): string | undefined {
  return runs.flatMap((run) => ('title' in run ? [run.title] : []))[0];
}

function runView(run: IndexRun, folder: string) {
  if ('why' in run) return { runId: run.runId, why: run.why, href: null };
  const { runId, title, startedAt, profile, rerun, part, builds, trials, ok, ended, claims } = run;
  const notes = [
    ...(profile === null ? [] : [`profile ${profile}`]),
    ...(rerun === null ? [] : [`rerun of ${rerun}`]),
    ...(part === undefined ? [] : [`a part of the study: ${part}`]),
    ...(ended ? [] : ['not ended: it is being measured, or was interrupted']),
  ];
  return {
    runId,
    title,
    why: null,
    href: linkTo(folder, run.reports),
    date: startedAt.slice(0, 16).replace('T', ' '),
    isoDate: startedAt,
    builds: builds.join(', ') || 'no server',
    trials: ok === trials ? `${trials} ok` : `${ok} of ${trials} ok`,
    lost: ok < trials,
    notes,
    claims: claims.map(({ id, sentence, verdict, label, unwanted }) => ({
      href: run.reports.includes('report.html') ? `${pathOf(folder)}/report.html#${encodeURIComponent(id)}` : null,
      sentence,
      badge: { name: signOf(verdict, unwanted), text: label?.toLowerCase() ?? verdict },
      id,
    })),
    links: linksOf(folder, [...run.reports, 'journal.jsonl']),
  };
}

function comparisonView(comparison: IndexedComparison) {
  const { folder, title, before, after, comparable, claims, verdicts, reports } = comparison;
  const other = before.studyId === after.studyId ? before.runId : `${before.studyId}@${before.runId}`;
  const counts = Object.entries(verdicts).map(([verdict, count]) => `${count} ${verdict}`);
  return {
    title,
    studyId: after.studyId,
    before: other,
    after: after.runId,
    href: linkTo(folder, reports),
    comparable,
    verdicts: counts.join(', ') || 'nothing in common',
    claims: claims.map(({ id, status, sentence }) => ({
      href: reports.includes('report.html') ? `${pathOf(folder)}/report.html#${encodeURIComponent(id)}` : null,
      sentence,
      badge: { name: STATUS_SIGN[status] ?? 'inconclusive', text: status },
      id,
    })),
    links: linksOf(folder, reports),
  };
}

const STATUS_SIGN: Readonly<Record<string, Verdict>> = {
  fixed: 'supported',
  'still holds': 'supported',
  regressed: 'refuted',
  'still fails': 'refuted',
};

/** The sign says whether it is as it should be, the word what the verdict is: a defect that is refuted is good news. */
function signOf(verdict: Verdict, unwanted: boolean): Verdict {
  if (verdict === 'inconclusive') return 'inconclusive';
  return unwanted ? 'refuted' : 'supported';
}

/** The first of the reports, for the run's name to lead to; null where there is none. */
function linkTo(folder: string, reports: readonly string[]): string | null {
  const [first] = reports;
  return first === undefined ? null : `${pathOf(folder)}/${first}`;
}

function linksOf(folder: string, names: readonly string[]) {
  return names.map((name) => ({ text: name.replace(/^report\./, ''), href: `${pathOf(folder)}/${name}` }));
}

/** A path as a relative address: names of studies may hold anything. */
function pathOf(folder: string): string {
  return folder.split('/').map(encodeURIComponent).join('/');
}

function newestOf({ studies, gallery }: IndexPage): string {
  const runs = [...studies.flatMap((study) => study.runs), ...gallery.map(({ card }) => card)];
  return (
    runs
      .flatMap((run) => ('startedAt' in run ? [run.startedAt] : []))
      .sort()
      .at(-1) ?? ''
  );
}
