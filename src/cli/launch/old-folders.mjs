// Compiled forms of earlier sources.
import { readdirSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { join, sep } from 'node:path';

const minuteMs = 60_000;

/** Removes the folders beside `keep`, except those that a living process may still load from. */
export function removeOld(parent, keep) {
  const old = readdirSync(parent).filter((name) => name !== keep && age(join(parent, name)) > minuteMs);
  if (old.length === 0) return;
  const open = openFiles();
  for (const name of old) {
    const folder = join(parent, name);
    // Without a list of open files only age can tell.
    const isUsed =
      open === null ? age(folder) < 30 * 24 * 60 * minuteMs : open.some((file) => file.startsWith(folder + sep));
    // Another process that compiles may be in the middle of it.
    const isUnfinished = name.includes('.') && age(folder) < 10 * minuteMs;
    if (!isUsed && !isUnfinished) rmSync(folder, { recursive: true, force: true });
  }
}

function age(path) {
  return Date.now() - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
}

/** The files that processes have open; null where the system does not say, or not for another account's Benchbook. */
function openFiles() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap(openFilesOf);
  } catch {
    return null;
  }
}

function openFilesOf(pid) {
  let files = [];
  try {
    files = readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    if (error?.code === 'EACCES' && commandOf(pid).includes('benchbook')) throw error;
  }
  return files.flatMap((file) => linkOf(`/proc/${pid}/fd/${file}`));
}

function commandOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** A file that is closed meanwhile has none. */
function linkOf(path) {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}
