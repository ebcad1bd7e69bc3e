import { dirname, relative } from 'node:path';
import { count } from '../../lib/units.ts';
import { FORMATS } from '../../render/formats.ts';
import type { RenderedFile } from '../../render/render.ts';

/** Formats whose files are named one by one, also where the format was not asked for. */
const FOR_PEOPLE: readonly string[] = FORMATS.filter(({ kind }) => kind === 'report').map(({ name }) => name);

/**
 * Paths of the files made, the ones for people first, and why any was left out. Files of the formats in `asked` are named one by one;
 * others, which go with every report, by their folders.
 */
export function printFiles(files: readonly RenderedFile[], asked: readonly string[] = []): void {
  const made = files.filter(({ skipped }) => skipped === undefined);
  const forPeople = made.filter(({ format }) => FOR_PEOPLE.includes(format));
  const data = made.filter(({ format }) => !FOR_PEOPLE.includes(format) && asked.includes(format));
  for (const { path, note } of [...forPeople, ...data]) {
    console.log(relative(process.cwd(), path));
    if (note !== undefined) console.log(`  ${note}`);
  }
  const others = made.filter((file) => !forPeople.includes(file) && !data.includes(file));
  for (const folder of new Set(others.map(({ path }) => dirname(path)))) {
    const number = others.filter(({ path }) => dirname(path) === folder).length;
    console.log(`${relative(process.cwd(), folder) || '.'}: ${count(number, 'data file')} more`);
  }
  for (const { format, skipped } of files)
    if (skipped !== undefined) console.log(`${format.toUpperCase()} skipped: ${skipped}`);
}
