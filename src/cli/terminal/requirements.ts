import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** A sentence about what this process lacks before it can do anything; null where all is there. */
export function missingRequirement(): string | null {
  return temporaryFolder() ?? openFiles();
}

function temporaryFolder(): string | null {
  try {
    accessSync(tmpdir(), constants.W_OK | constants.X_OK);
    if (statSync(tmpdir()).isDirectory()) return null;
  } catch {
    // The sentence below is the same for all reasons.
  }
  return `The folder ${tmpdir()} for temporary files cannot be written. Set TMPDIR to a folder that you can write.`;
}

/** With too few, work fails in the middle of a sentence. */
function openFiles(): string | null {
  const needed = 256;
  let limits = '';
  try {
    limits = readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return null;
  }
  const allowed = /^Max open files +(\d+)/m.exec(limits)?.[1];
  if (allowed === undefined || Number(allowed) >= needed) return null;
  return `This process may open only ${allowed} files and needs ${needed}. Raise the limit: ulimit -n 1024.`;
}
