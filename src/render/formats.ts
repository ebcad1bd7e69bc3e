import { BenchbookError } from '../lib/errors.ts';
import { suggestion } from '../lib/suggestions.ts';
import { adf } from './formats/adf.ts';
import { csv } from './formats/csv.ts';
import type { Format, ReportFile } from './formats/format.ts';
import { html } from './formats/html.ts';
import { jira } from './formats/jira.ts';
import { json } from './formats/json.ts';
import { latex } from './formats/latex.ts';
import { markdown } from './formats/markdown.ts';
import { parquet } from './formats/parquet.ts';
import { pdf } from './formats/pdf.ts';

/** Every output format, in the order of the help. */
const LIST = [html, pdf, markdown, jira, adf, csv, parquet, latex, json] as const;

export type FormatName = (typeof LIST)[number]['name'];

export const FORMATS: readonly Format<FormatName>[] = LIST;

/** Formats that a run is rendered to unless asked otherwise. */
export const USUAL_FORMATS: readonly FormatName[] = FORMATS.filter(({ isUsual }) => isUsual).map(({ name }) => name);

/** The list for `--help`. */
export const FORMAT_NAMES = FORMATS.map(({ name }) => name).join(',');

/** The formats of these names, in the order of the help. */
export function formatsNamed(names: readonly FormatName[]): readonly Format<FormatName>[] {
  return FORMATS.filter(({ name }) => names.includes(name));
}

/** The reports that a run folder may hold, for people and for tickets. */
export function reportFiles(): readonly string[] {
  return filesOf(({ kind }) => kind === 'report').map(({ name }) => name);
}

/** The files of some formats that lie directly in the run folder. */
export function filesOf(isWanted: (format: Format) => boolean): readonly ReportFile[] {
  return FORMATS.filter(isWanted).flatMap(({ files }) => files);
}

/**
 * The formats of `--format html,pdf`; the usual ones where it is not given.
 *
 * @throws BenchbookError `usage` with the nearest right word
 */
export function parseFormats(list: string | undefined): readonly FormatName[] {
  return list === undefined ? USUAL_FORMATS : list.split(',').map(formatNamed);
}

/** These formats with the document and its data: all files of a run folder come from the same prose. */
export function withData(names: readonly FormatName[]): readonly FormatName[] {
  return [...new Set([...names, 'csv' as const, 'json' as const])];
}

function formatNamed(wanted: string): FormatName {
  const found = FORMATS.find(({ name }) => name === wanted);
  if (found !== undefined) return found.name;
  const hint = suggestion(
    wanted,
    FORMATS.map(({ name }) => name),
  );
  throw new BenchbookError('usage', `There is no format '${wanted}'.`, { hint });
}
