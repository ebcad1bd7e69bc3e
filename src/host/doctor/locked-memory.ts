import { limitOf } from '../../lib/process/proc.ts';
import { readText } from '../tools.ts';
import type { DoctorItem } from './item.ts';

/** Servers with `--memlock` need it, and io_uring on older kernels. */
export async function examineLockedMemory(): Promise<DoctorItem> {
  const name = 'locked memory';
  const limit = limitOf('self', 'Max locked memory')?.soft;
  const isExempt = await hasLockCapability();
  if (limit === 'unlimited' || isExempt)
    return { name, state: 'works', detail: `limit ${limit}${isExempt ? ', not applied to root' : ''}` };
  return {
    name,
    state: 'limited',
    detail: `at most ${limit} bytes`,
    fix: 'ulimit -l unlimited (limits.conf: memlock)',
  };
}

/** Whether this process holds CAP_IPC_LOCK, number 14 of capabilities(7). */
async function hasLockCapability(): Promise<boolean> {
  const effective = /^CapEff:\s+([0-9a-f]+)$/m.exec((await readText('/proc/self/status')) ?? '')?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> 14n) & 1n) === 1n;
}
