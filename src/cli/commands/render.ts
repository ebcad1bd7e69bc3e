import { readdir, rm } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { BenchbookError } from '../../lib/errors.ts';
import { readInside } from '../../lib/files/below.ts';
import { suggestion } from '../../lib/suggestions.ts';
import { FORMATS, parseFormats, reportFiles, withData } from '../../render/formats.ts';
import type { RenderedFile } from '../../render/render.ts';
import { CUTS } from '../../report/short.ts';
import { runFolder } from '../places/runs.ts';
import { printFiles } from '../report/print-files.ts';
import { proseNow } from '../report/prose.ts';
import type { reportRun } from '../report/report-run.ts';
import { damageText, readChecked } from '../run/checked-run.ts';
import { tellWithoutEffect, unusedLook } from '../run/without-effect.ts';
import { EXIT } from '../terminal/exit.ts';

interface RenderOptions {
  readonly study?: string;
  readonly format?: string;
  readonly out?: string;
  readonly static?: boolean;
  readonly paper?: string;
  readonly frontMatter?: string;
  readonly templates?: string;
  readonly cut?: string;
  readonly link?: string;
}

/** `benchbook render RUN`: the report again, with the study's prose as it stands now. */
export async function renderCommand(run: string, options: RenderOptions): Promise<number> {
  const folder = await runFolder(run);
  const look = lookOf(options);
  const cut = options.cut === undefined ? 'full' : oneOf('--cut', options.cut, CUTS);
  const wanted = cut === 'short' ? reportsOf(options.format) : parseFormats(options.format);
  tellWithoutEffect(unusedLook({ ...options }, wanted));
  // The renderer loads while the journal is read and the study bundled.
  const renderer = import('../report/report-run.ts');
  const journal = await readChecked(folder);
  const draft = await proseNow(folder, journal.entries, options.study);
  const before = await readInside(folder, 'report.json');
  const isWhole = cut === 'full' && options.out === undefined;
  const files = await (await renderer).reportRun({
    runDirectory: folder,
    directory: options.out === undefined ? folder : resolve(options.out),
    formats: isWhole ? withData(wanted) : wanted,
    ...(cut === 'short' ? { shortOf: options.link ?? 'report.html' } : {}),
    draft,
    journal,
    look,
    progress: () => {},
  });
  printFiles(files, options.format === undefined ? [] : wanted);
  if (isWhole) await removeStale(folder, before, files);
  // Reports written elsewhere are not on the index page.
  if (isWhole) await (await import('../report/index-page.ts')).updateIndex();
  if (journal.damage === null) return EXIT.done;
  console.error(damageText(journal.damage.message));
  return EXIT.notAllOk;
}

/** All reports in a run folder come from the same prose. Deletes reports in other formats that an older prose produced; `--format` makes them again. */
async function removeStale(folder: string, before: Uint8Array | null, made: readonly RenderedFile[]): Promise<void> {
  if (before === null || (await readInside(folder, 'report.json'))?.equals(before)) return;
  const present = await readdir(folder);
  const names = made.map(({ path }) => basename(path));
  const stale = reportFiles().filter((name) => present.includes(name) && !names.includes(name));
  for (const name of stale) {
    await rm(join(folder, name));
    console.log(`${name} was of an earlier prose and is removed; --format makes it again`);
  }
}

/** The formats of a short cut, which only reports have: data stay whole. */
function reportsOf(list: string | undefined): ReturnType<typeof parseFormats> {
  const data = FORMATS.filter(({ kind }) => kind === 'data').map(({ name }) => name);
  const wanted = parseFormats(list);
  const refused = list === undefined ? [] : wanted.filter((name) => data.includes(name));
  if (refused.length === 0) return wanted.filter((name) => !data.includes(name));
  throw new BenchbookError(
    'usage',
    `--cut short is for reports, and ${refused.join(' and ')} holds data, which stay whole.`,
    {
      hint: `leave ${refused.join(' and ')} out of --format`,
    },
  );
}

/** How the report looks. A custom look needs another folder, because `verify` compares the run folder with the usual look. */
function lookOf(options: RenderOptions): NonNullable<Parameters<typeof reportRun>[0]['look']> {
  const own = options.templates === undefined ? (options.static ? '--static' : null) : '--templates';
  if (own !== null && options.out === undefined) {
    throw new BenchbookError(
      'usage',
      `${own} needs --out: the run folder keeps the report that \`verify\` can make again.`,
    );
  }
  return {
    isStatic: options.static ?? false,
    ...(options.paper === undefined ? {} : { paper: oneOf('--paper', options.paper, ['A4', 'Letter'] as const) }),
    ...(options.frontMatter === undefined
      ? {}
      : { frontMatter: oneOf('--front-matter', options.frontMatter, ['hugo', 'jekyll', 'none'] as const) }),
    ...(options.templates === undefined ? {} : { templates: resolve(options.templates) }),
  };
}

function oneOf<T extends string>(option: string, given: string, known: readonly T[]): T {
  const found = known.find((each) => each === given);
  if (found !== undefined) return found;
  throw new BenchbookError('usage', `${option} takes no '${given}'.`, { hint: suggestion(given, known) });
}
