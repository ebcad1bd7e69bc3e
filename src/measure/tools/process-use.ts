import { cpuTimeOf, ioOf } from '../../lib/process/proc.ts';

/** What a process has used since it began: CPU time in seconds, bytes of storage; null where the kernel does not report it. */
export interface ProcessUse {
  readonly cpu: number | null;
  readonly read: number | null;
  readonly written: number | null;
}

/** By `/proc/PID/stat` and `io`; all null for a server elsewhere, which has no process here. */
export function useOf(pid: number): ProcessUse {
  const cpu = attempt(() => cpuTimeOf(pid));
  const io = ioOf(pid);
  return {
    cpu: cpu && cpu.userSeconds + cpu.systemSeconds,
    read: io.readBytes,
    written: io.writtenBytes,
  };
}

/** Null where it throws: a process that has ended, a file that may not be read. */
export function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
