import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { statFields } from './proc.ts';

/** A process that cannot be mistaken for a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of `/proc/PID/stat`: clock ticks from boot. Empty where the system has no /proc. */
  readonly startTicks: string;
  /** Empty where the system has no /proc. */
  readonly bootId: string;
  /** Process numbers mean something within one namespace only: each container has its own. */
  readonly pidNamespace?: string | undefined;
  /** Distinguishes another machine that shares the folder from this machine before a restart. */
  readonly host?: string | undefined;
}

/** The identity of a live process, or null where there is none. A zombie counts as ended. */
export function identityOf(pid: number): ProcessIdentity | null {
  const fields = statFields(pid);
  if (fields === null || fields[0] === 'Z' || fields[0] === 'X') return null;
  return { pid, startTicks: fields[19]!, bootId: bootId(), pidNamespace: pidNamespace(), host: hostname() };
}

/** The identity of this process, also on a system without /proc. */
export function ownIdentity(): ProcessIdentity {
  return identityOf(process.pid) ?? { pid: process.pid, startTicks: '', bootId: bootId(), host: hostname() };
}

/** Whether the process still runs. A process that we cannot see from here counts as running. */
export function isAlive(identity: ProcessIdentity): boolean {
  if (isForeign(identity)) return true;
  if (identity.bootId !== bootId()) return false;
  if (identity.startTicks === '') return hasNumber(identity.pid);
  return identityOf(identity.pid)?.startTicks === identity.startTicks;
}

/** Whether the process belongs to another container or machine, so that we cannot see whether it runs. */
export function isForeign(identity: ProcessIdentity): boolean {
  if (identity.bootId !== bootId()) return identity.host !== undefined && identity.host !== hostname();
  return identity.pidNamespace !== undefined && identity.pidNamespace !== pidNamespace();
}

/** Whether any process has this number. A system without /proc cannot say more. */
function hasNumber(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

let boot: string | undefined;

/** The kernel's identifier of the time since the last boot; empty where there is none. */
export function bootId(): string {
  try {
    boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    boot = '';
  }
  return boot;
}

let namespace: string | undefined;

/** The namespace of process numbers in which this process runs: each container has its own. */
export function pidNamespace(): string | undefined {
  try {
    namespace ??= readlinkSync('/proc/self/ns/pid');
  } catch {
    // A kernel without namespaces has one for all processes.
  }
  return namespace;
}
