import { readdir, readFile, readlink } from 'node:fs/promises';

/** The TCP ports that a process listens on, as the kernel shows them: a server of a trial has none. */
export async function listeningPorts(pid: number): Promise<readonly number[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'latin1').catch(() => '')),
  );
  const ports = new Map<string, number>();
  for (const line of tables.join('\n').split('\n')) {
    const [, address = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    if (state === LISTEN) ports.set(`socket:[${inode}]`, Number.parseInt(address.split(':')[1] ?? '', 16));
  }
  if (ports.size === 0) return [];
  const names = await readdir(`/proc/${pid}/fd`).catch(() => []);
  const links = await Promise.all(names.map((name) => readlink(`/proc/${pid}/fd/${name}`).catch(() => '')));
  return [...new Set(links.flatMap((link) => ports.get(link) ?? []))].sort((a, b) => a - b);
}

const LISTEN = '0A';
