import { readFileSync, readlinkSync } from 'node:fs';

/** A process, told apart from a later one with the same id. */
export interface ProcessId {
  readonly pid: number;
  /** Clock ticks from boot to its start. */
  readonly startTicks: number;
}

/** Identity of a running process; undefined where there is none. Source: proc(5), /proc/PID/stat, field 22. */
export function processIdOf(pid: number): ProcessId | undefined {
  const startTicks = statFields(pid)?.[19];
  return startTicks === undefined ? undefined : { pid, startTicks: Number(startTicks) };
}

export function isAlive(id: ProcessId): boolean {
  return processIdOf(id.pid)?.startTicks === id.startTicks;
}

/** Fields of /proc/PID/stat from the third on; the second is a name that may hold anything. */
export function statFields(pid: number | 'self'): readonly string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text
      .slice(text.lastIndexOf(')') + 2)
      .trim()
      .split(' ');
  } catch {
    return undefined;
  }
}

let namespace: string | undefined;

/** The space of numbers that this process's number belongs to: each container has its own. */
export function pidNamespace(): string | undefined {
  try {
    namespace ??= readlinkSync('/proc/self/ns/pid');
  } catch {
    // A kernel without namespaces has one space of numbers.
  }
  return namespace;
}
