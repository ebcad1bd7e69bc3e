import type { HostRequest } from './types.ts';

/**
 * What a control of the machine changes. `machine`: one setting for all processes, which trials that run side by side can only
 * share. `supply`: taken from one supply of the machine, so that two trials take from each other. `process` and `directory`: only
 * the server's own process, or a directory of the trial's own.
 */
type Scope = 'machine' | 'supply' | 'process' | 'directory';

export const CONTROL_SCOPE: Readonly<Record<keyof HostRequest, Scope>> = {
  pageCache: 'directory',
  memoryLimit: 'process',
  hugePages: 'supply',
  transparentHugePages: 'machine',
  cpus: 'process',
  nice: 'process',
  governor: 'machine',
  turbo: 'machine',
  storage: 'directory',
  ioLimit: 'process',
};

/** Why two trials with these requests cannot run at the same time; null where they can. */
export function hindranceSideBySide(one: HostRequest, other: HostRequest): string | null {
  for (const [name, scope] of Object.entries(CONTROL_SCOPE)) {
    const [a, b] = [one, other].map((request) => request[name as keyof HostRequest]);
    if (scope === 'supply' && a !== undefined && b !== undefined)
      return `both halves of the duet ask for host.${name}, which come from one supply of the machine`;
    if (scope === 'machine' && a !== b)
      return `host.${name} is one setting for the whole machine, and the halves of the duet ask for ${text(a)} and ${text(b)}`;
  }
  return null;
}

function text(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
