import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Compiles the engine before the first test: what tests start is compiled, and need not wait for it. */
export default function compileOnce(): void {
  execFileSync(process.execPath, [join(import.meta.dirname, '../src/cli/launch/print-folder.mjs')]);
}
