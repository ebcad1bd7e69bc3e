import { getPriority } from 'node:os';
import { sameCpus } from '../../lib/process/cpu-list.ts';
import { allowedCpusOf } from '../../lib/process/proc.ts';
import type { HostRequest } from '../../study/types.ts';
import type { HostCaution } from '../control.ts';
import { readText } from '../tools.ts';
import { amountText, bytesOf } from './amount.ts';

/**
 * Compares what was asked of the machine for a process with what the running server really has: CPUs, niceness, memory
 * limit. One caution for each difference; a control that was refused is not asked about again.
 */
export async function verifyProcess(
  request: HostRequest,
  pid: number,
  refusedNames: readonly string[],
): Promise<readonly HostCaution[]> {
  const cautions: HostCaution[] = [];
  const differs = (name: string, wanted: string, found: string) => {
    if (refusedNames.includes(name)) return;
    const sentence = `The running server has ${found} where ${wanted} was asked for.`;
    cautions.push({ code: 'control-not-in-effect', sentence, about: name });
  };
  if (request.cpus !== undefined) {
    const found = allowedCpusOf(pid);
    if (found !== null && !sameCpus(request.cpus, found)) differs('host.cpus', `CPUs ${request.cpus}`, `CPUs ${found}`);
  }
  if (request.nice !== undefined) {
    const found = niceOf(pid);
    if (found !== undefined && found !== request.nice)
      differs('host.nice', `niceness ${request.nice}`, `niceness ${found}`);
  }
  if (request.memoryLimit !== undefined) {
    const wanted = bytesOf(request.memoryLimit, 'host.memoryLimit');
    const found = await memoryLimitOf(pid);
    if (found !== undefined && Math.abs(found - wanted) > 2 ** 16) {
      const text = Number.isFinite(found) ? `a memory limit of ${amountText(found)}` : 'no memory limit';
      differs('host.memoryLimit', `one of ${amountText(wanted)}`, text);
    }
  }
  return cautions;
}

function niceOf(pid: number): number | undefined {
  try {
    return getPriority(pid);
  } catch {
    return undefined; // It has ended.
  }
}

/** Of the process's own group: version 2 first, else the memory hierarchy of version 1. Infinity for none. */
async function memoryLimitOf(pid: number): Promise<number | undefined> {
  const groups = (await readText(`/proc/${pid}/cgroup`)) ?? '';
  const [v2, v1] = [/^0::(.*)$/m.exec(groups)?.[1], /^\d+:memory:(.*)$/m.exec(groups)?.[1]];
  const text =
    v1 === undefined
      ? await readText(`/sys/fs/cgroup${v2 ?? ''}/memory.max`)
      : await readText(`/sys/fs/cgroup/memory${v1}/memory.limit_in_bytes`);
  if (text === undefined) return undefined;
  // Version 1 writes "none" as the greatest multiple of a page.
  return text === 'max' || Number(text) > 2 ** 60 ? Number.POSITIVE_INFINITY : Number(text);
}
