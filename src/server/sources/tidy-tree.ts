import { chmod, lstat, readdir, realpath, unlink } from 'node:fs/promises';
import { join, sep } from 'node:path';

/**
 * Leaves below `root` only folders, files and links, without setuid, setgid and sticky bits, and readable for their owner.
 * With `links: 'inside'`, links that lead out of `root` or nowhere are removed too. Returns what was removed.
 */
export async function tidyTree(root: string, links: 'any' | 'inside'): Promise<readonly string[]> {
  const removed: string[] = [];
  const top = await realpath(root);
  await tidyFolder(top);
  return removed;

  async function tidyFolder(folder: string): Promise<void> {
    await restrict(folder, 0o700);
    for (const entry of await readdir(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) await tidyFolder(path);
      else if (entry.isFile()) await restrict(path, 0o400);
      else if (!entry.isSymbolicLink() || (links === 'inside' && !(await isInside(path)))) {
        await unlink(path);
        removed.push(path.slice(top.length + 1));
      }
    }
  }

  async function isInside(link: string): Promise<boolean> {
    const target = await realpath(link).catch(() => null);
    return target !== null && (target === top || target.startsWith(top + sep));
  }
}

async function restrict(path: string, needed: number): Promise<void> {
  const { mode } = await lstat(path);
  const wanted = (mode & 0o755) | needed;
  if ((mode & 0o7777) !== wanted) await chmod(path, wanted);
}
