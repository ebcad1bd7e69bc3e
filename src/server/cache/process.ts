import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { pidNamespace } from '../../lib/process-identity.ts';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/PID/stat`: clock ticks from boot. */
  readonly startTicks: string;
  readonly bootId: string;
  /** Numbers of processes mean something within one namespace only: each container has its own. */
  readonly pidNamespace?: string | undefined;
  /** Tells a machine that shares the folder from this one before its restart. */
  readonly host?: string | undefined;
}

/** The identity of a live process, or null where there is none. A zombie counts as ended. */
export function identityOf(pid: number): ProcessIdentity | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name stands in parentheses and may hold spaces and parentheses itself.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (fields[0] === 'Z' || fields[0] === 'X') return null;
    return { pid, startTicks: fields[19]!, bootId: bootId(), pidNamespace: pidNamespace(), host: hostname() };
  } catch {
    return null;
  }
}

/** Whether this very process still lives; one that cannot be seen from here counts as alive. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (isForeign(identity)) return true;
  const now = identityOf(identity.pid);
  return now !== null && now.startTicks === identity.startTicks && now.bootId === identity.bootId;
}

/** A process of another container or another machine: whether it lives cannot be told from here. */
export function isForeign(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return identity.host !== undefined && identity.host !== hostname();
  return identity.pidNamespace !== undefined && identity.pidNamespace !== pidNamespace();
}

/** The session of a live process, or null. */
export function sessionOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3]);
  } catch {
    return null;
  }
}

/** The arguments of a live process, or an empty list. */
export function argumentsOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1);
  } catch {
    return [];
  }
}

let boot: string | undefined;

function bootId(): string {
  boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return boot;
}
