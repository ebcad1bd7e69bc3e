import type { Table } from '../../report/document.ts';

/**
 * The file of each table below `data/` and `tables/`, without its ending, by the table's name. Names come from studies and may
 * hold anything: what a file system could take for a path is replaced, and no two tables share a file, not even where it ignores case.
 */
export function dataFileNames(tables: Readonly<Record<string, Table>>): ReadonlyMap<string, string> {
  const taken = new Set<string>();
  const names = new Map<string, string>();
  for (const { name } of Object.values(tables)) {
    const plain = plainFileName(name);
    let file = plain;
    for (let count = 2; taken.has(file.toLowerCase()); count++) file = `${plain}-${count}`;
    taken.add(file.toLowerCase());
    names.set(name, file);
  }
  return names;
}

function plainFileName(name: string): string {
  return name.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^\.+/, '') || 'table';
}
