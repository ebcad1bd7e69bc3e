import { constants } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { sentenceOf } from '../../lib/errors.ts';
import { isPermitted, isRoot, readChoice } from '../tools.ts';
import { heldHere, type Ledger } from './ledger.ts';

/** A kernel setting after the attempt to change it; `reason` says why it is not as wanted. */
export interface KernelSetting {
  readonly current: string | null;
  readonly reason?: string;
}

/** Sets a file below /sys or /proc and reads it back; how to restore it is written down first. */
export async function setKernelFile(path: string, value: string, ledger: Ledger): Promise<KernelSetting> {
  const before = await readChoice(path);
  if (before === undefined) return { current: null, reason: 'this kernel does not offer it' };
  const original = heldHere({ path });
  if (before === value) {
    // The other half of a duet has set it: the later of the two restores it.
    if (original !== undefined) await ledger.add({ kind: 'write', path, value: original });
    return { current: before };
  }
  if (original !== undefined) {
    return {
      current: before,
      reason: `another trial that runs now has set it to ${before}, and it is one for the whole machine`,
    };
  }
  if (!(await isPermitted(path, constants.W_OK))) {
    return { current: before, reason: isRoot() ? 'it is read-only here, as in containers' : 'only root may change it' };
  }
  if (await ledger.heldByOther(path)) return { current: before, reason: 'another running Benchbook has set it' };
  await ledger.add({ kind: 'write', path, value: before });
  try {
    await writeFile(path, value);
  } catch (cause) {
    return { current: before, reason: `the kernel refused it (${sentenceOf(cause)})` };
  }
  const current = (await readChoice(path)) ?? null;
  return current === value ? { current } : { current, reason: `it shows ${current} afterwards` };
}
