import { BenchbookError } from '../../lib/errors.ts';
import { suggestion } from '../../lib/suggestions.ts';
import type { RenderRequest } from '../../render/render.ts';

type Format = RenderRequest['formats'][number];
/** Formats that a run is rendered to unless asked otherwise. */
export const DEFAULT_FORMATS: RenderRequest['formats'] = ['html', 'pdf', 'csv', 'json'];

/** The reports that a run folder may hold, for people and for tickets. */
export const REPORT_FILES: readonly string[] = [
  'report.html',
  'report.pdf',
  'report.md',
  'report.jira.txt',
  'report.adf.json',
];

const FORMATS: readonly Format[] = ['html', 'pdf', 'md', 'jira', 'csv', 'parquet', 'tex', 'json'];

/**
 * The formats of `--format html,pdf`; the usual ones where it is not given.
 *
 * @throws BenchbookError `usage` with the nearest right word
 */
export function formatsOf(list: string | undefined): RenderRequest['formats'] {
  return list === undefined ? DEFAULT_FORMATS : list.split(',').map(formatOf);
}

function formatOf(name: string): Format {
  if ((FORMATS as readonly string[]).includes(name)) return name as Format;
  throw new BenchbookError('usage', `There is no format '${name}'.`, { hint: suggestion(name, FORMATS) });
}
