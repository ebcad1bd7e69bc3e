import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { bundleRun } from '../../bundle/bundle.ts';
import { parseSize } from '../../bundle/size.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { count } from '../../lib/units.ts';
import { FORMATS, type FormatName } from '../../render/formats.ts';
import { runFolder } from '../places/runs.ts';
import { displayFile } from '../places/studies.ts';
import { reportRun } from '../report/report-run.ts';
import { tellWithoutEffect } from '../run/without-effect.ts';

/** `benchbook bundle RUN`: one file for a ticket. */
export async function bundle(
  run: string,
  options: { maxSize?: string; redact?: boolean; out?: string },
): Promise<number> {
  const maxBytes = options.maxSize === undefined ? undefined : parseSize(options.maxSize);
  const runDirectory = await runFolder(run);
  const redact = options.redact ?? false;
  const result = await bundleRun({
    runDirectory,
    fileFor: await archive(runDirectory, options.out, redact ? '-redacted' : ''),
    ...(maxBytes === undefined ? {} : { maxBytes }),
    redact,
    render: async (directory) => {
      const formats = await formatsIn(runDirectory);
      const files = await reportRun({ runDirectory: directory, directory, formats, draft: null, progress: () => {} });
      for (const { format, skipped } of files) {
        if (skipped !== undefined) console.error(`benchbook: the bundle has no ${format.toUpperCase()}: ${skipped}`);
      }
    },
  });
  if (options.maxSize !== undefined && result.dropped.length === 0)
    tellWithoutEffect([`--max-size ${options.maxSize} left nothing out: all of it fits.`]);
  const { redaction } = result;
  console.log(`${displayFile(result.file)}: ${count(result.files, 'file')}, ${count(result.bytes, 'byte')}`);
  for (const { what, paths, bytes } of result.dropped) {
    console.log(`left out: ${what}, ${count(paths.length, 'file')}, ${count(bytes, 'byte')}`);
  }
  if (redaction !== null) {
    const kinds = new Map<string, number>();
    for (const { kind } of redaction.replacements) kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    const counts = [...kinds].map(([kind, count]) => `${count} × ${kind}`);
    console.log(`replaced: ${counts.join(', ') || 'nothing was found'}; redacted.txt lists the stand-ins`);
    for (const warning of redaction.warnings) console.error(`look at this: ${warning}`);
  }
  return 0;
}

/** The usual formats, and further ones that the run folder holds a report in. */
async function formatsIn(folder: string): Promise<readonly FormatName[]> {
  const present = await readdir(folder);
  const hasPdf = present.includes('report.pdf') || !present.includes('report.html');
  return FORMATS.filter(({ name, isUsual, files }) => {
    if (name === 'pdf') return hasPdf;
    return isUsual || files.some((file) => present.includes(file.name));
  }).map(({ name }) => name);
}

/** Beside the run's folder unless `--out` says where: a folder, or a file's name. */
async function archive(runDirectory: string, out: string | undefined, ending: string) {
  const within = (folder: string) => (name: string) => join(folder, `${name}${ending}.zip`);
  if (out === undefined) return within(dirname(runDirectory));
  const wanted = resolve(out);
  if ((await stat(wanted).catch(() => null))?.isDirectory()) return within(wanted);
  if (wanted.endsWith('.zip')) return () => wanted;
  throw new BenchbookError('usage', `--out is a folder that exists, or the name of a .zip file, not ${out}.`);
}
