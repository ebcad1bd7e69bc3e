/** Folders of `output/` that hold no runs, and names that stand for a run without being one. */
const RESERVED = ['compare', 'gallery', 'index.html', 'latest'];

const MOST_BYTES = 150;

/**
 * Why a name cannot be the folder of a study or of a run; null where it can. The one rule for names that become part of a path,
 * whether they come from a study's file or from a journal of another machine.
 */
export function folderNameFault(name: string): string | null {
  if (name === '') return 'it is empty';
  if (Buffer.byteLength(name) > MOST_BYTES) return `it is longer than ${MOST_BYTES} bytes`;
  if (RESERVED.includes(name.toLowerCase())) return 'Benchbook keeps a folder or file of that name itself';
  if (!/^[\p{L}\p{N}_][\p{L}\p{M}\p{N} ._+-]*$/u.test(name) || /[ .]$/.test(name)) {
    return 'it may hold letters, digits, and _ . + - or a space after the first character and before the last';
  }
  return null;
}

/**
 * Names of runs, oldest first. Names are dates. A date in the future comes from a machine with a wrong
 * clock, so it sorts before all others.
 */
export function runsInOrder(names: readonly string[], now = new Date()): readonly string[] {
  const today = now.toISOString().replace(/[-:]|\.\d+/g, '');
  const isFuture = (name: string) => /^\d{8}T\d{6}Z/.test(name) && name.slice(0, today.length) > today;
  const sorted = [...names].sort();
  return [...sorted.filter(isFuture), ...sorted.filter((name) => !isFuture(name))];
}

/** Whether a path below a folder is written plainly: no `..`, no empty part, and no character that an archive or a shell reads in another way. */
export function isPlainPath(path: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9._-]*(?:\/[A-Za-z0-9_-][A-Za-z0-9._-]*)*$/.test(path);
}
