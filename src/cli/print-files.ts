import { relative } from 'node:path';
import type { RenderedFile } from '../render/render.ts';

/** Paths of the files made, the ones for people first, and why any was left out. */
export function printFiles(files: readonly RenderedFile[]): void {
  const main = ['html', 'pdf', 'md', 'jira'];
  for (const file of files) {
    if (file.skipped !== undefined) console.log(`${file.format.toUpperCase()} skipped: ${file.skipped}`);
    else if (main.includes(file.format)) console.log(relative(process.cwd(), file.path));
    if (file.note !== undefined) console.log(`  ${file.note}`);
  }
}
