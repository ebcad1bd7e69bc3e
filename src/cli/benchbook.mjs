#!/usr/bin/env node
// The command's launcher. Plain JavaScript, since it runs where nothing is compiled: a checkout runs from source
// through tsx, a packed package (which ships no tsconfig.json) runs its compiled JavaScript.
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

const tsconfig = fileURLToPath(new URL('../../tsconfig.json', import.meta.url));

requireTemporaryFolder();
requireOpenFiles();
if (existsSync(tsconfig)) {
  const tsx = await importTsx();
  // The engine's own settings, whatever tsconfig.json lies in the current directory.
  tsx.register({ tsconfig });
  await import('./main.ts');
} else {
  await import(new URL('../../dist/cli/main.js', import.meta.url).href);
}

/** Checked first of all, because tsx keeps its own files there. */
function requireTemporaryFolder() {
  try {
    accessSync(tmpdir(), constants.W_OK | constants.X_OK);
    if (statSync(tmpdir()).isDirectory()) return;
  } catch {
    // The sentence below is the same for all reasons.
  }
  process.stderr.write(
    `benchbook: The folder ${tmpdir()} for temporary files cannot be written. Set TMPDIR to a folder that you can write.\n`,
  );
  process.exit(4);
}

/** A loader that may not open the files it needs waits without end, or fails in the middle of a sentence. */
function requireOpenFiles() {
  const needed = 256;
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return;
  }
  const allowed = /^Max open files +(\d+)/m.exec(limits)?.[1];
  if (allowed === undefined || Number(allowed) >= needed) return;
  process.stderr.write(
    `benchbook: This process may open only ${allowed} files and needs ${needed}. Raise the limit: ulimit -n 1024.\n`,
  );
  process.exit(4);
}

async function importTsx() {
  try {
    return await import('tsx/esm/api');
  } catch (error) {
    if (error?.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    process.stderr.write('benchbook: its node modules are not installed; run `npm start` or `npm ci` first.\n');
    process.exit(4);
  }
}
