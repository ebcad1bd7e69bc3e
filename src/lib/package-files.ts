import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The package's folder. A checkout defines it when it compiles itself, because the compiled files may lie elsewhere. */
declare const BENCHBOOK_PACKAGE: string | undefined;

/** A file that the package ships, such as `templates/html/page.hbs`, whether the engine runs from source or compiled. */
export function packageFile(path: string): string {
  root ??= typeof BENCHBOOK_PACKAGE === 'string' ? BENCHBOOK_PACKAGE : rootAbove(dirname(OWN));
  return join(root, path);
}

/** A program of the package that runs in a process of its own: `node FILE`. */
export function programFile(name: 'own-code-program' | 'canary-program'): string {
  return join(OWN.endsWith('.ts') ? compiledNow() : dirname(OWN), `${name}.mjs`);
}

const OWN = fileURLToPath(import.meta.url);
let root: string | undefined;

function rootAbove(folder: string): string {
  if (isRoot(folder)) return folder;
  const above = dirname(folder);
  if (above === folder) throw new Error(`${OWN} does not lie in the benchbook package`);
  return rootAbove(above);
}

function isRoot(folder: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown }).name === 'benchbook';
  } catch {
    return false;
  }
}

/** Tests run from source; what they start is compiled. */
function compiledNow(): string {
  const program = packageFile('src/cli/launch/print-folder.mjs');
  return execFileSync(process.execPath, [program], { encoding: 'utf8' });
}
