/** Folders that every Linux system has, and that say nothing of whose it is. */
const SYSTEM =
  /^\/(?:usr(?!\/local)|lib|lib64|bin|sbin|proc|sys|dev|etc\/mysql|run\/mysqld|var\/(?:lib\/mysql|log\/mysql|run\/mysqld))(?:\/|$)/;

/** Names within a path that stay, since they tell of its kind alone. */
const PLAIN = new Set(
  'home root Users usr local opt srv var mnt media tmp run etc lib lib64 libexec bin sbin share data cache output logs log english charsets plugin mysql mariadb mariadbd mysqld mysql_upgrade_info mariadb_upgrade_info ib_buffer_pool ibdata1 ib_logfile0 ibtmp1 src build builds trials studies'.split(
    ' ',
  ),
);
const VERSIONED = /^(?:mariadb|mysql)-\d[\d.]*(?:-linux[\w.-]*)?$/;
const EXTENSION =
  /\.(?:sql|cnf|ini|conf|txt|so|sock|socket|pid|err|log|ts|js|mjs|csv|tsv|json|patch|diff|gz|xz|tar|zip|html|pdf|md|sh|lua|ibd)$/i;

// Not after a word, a bracket of a root or a dot: "r/w", "{cache}/x", "./x", "</p>".
const PATH = /(?<![\p{L}\p{N}_/.}<~*)\]\\-])\/[\p{L}\p{N}_.@+~%#=,-]{2,}(?:\/[\p{L}\p{N}_.@+~%#=,-]*)*/gu;

/**
 * Absolute paths in a text, each part replaced by itself, so that what lies below what can still be told: `/home/x/db/a.sql`
 * and `/home/x/db/b.sql` become `/home/user-1/dir-1/file-1.sql` and `/home/user-1/dir-1/file-2.sql`.
 *
 * @param part the stand-in of a name within a path, by kind.
 */
export function replacePaths(
  text: string,
  part: (name: string, kind: 'dir' | 'file') => string,
  folders: Iterable<string> = [],
): string {
  const known = [...folders].reduce((found, folder) => found.replaceAll(folder, () => replaced(folder, part)), text);
  return known
    .replace(/\bfile:\/\/(?=\/)(\/[^\s'"`<>]+)/g, (_, path: string) => `file://${replaced(path, part)}`)
    .replace(PATH, (found) => {
      let end = found.length;
      while (end > 0 && '.,=#'.includes(found[end - 1]!)) end -= 1;
      return replaced(found.slice(0, end), part) + found.slice(end);
    });
}

function replaced(path: string, part: (name: string, kind: 'dir' | 'file') => string): string {
  if (SYSTEM.test(path)) return path;
  return path
    .split('/')
    .map((name) => {
      if (name === '' || PLAIN.has(name) || VERSIONED.test(name) || /^\.{1,2}$/.test(name)) return name;
      const extension = EXTENSION.exec(name)?.[0];
      return extension === undefined ? part(name, 'dir') : part(name, 'file') + extension;
    })
    .join('/');
}
