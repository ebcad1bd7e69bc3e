import { constants } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import { type ControlResult, defineControl, refuse, settled } from '../control.ts';
import { asRoot, type DoctorItem, fixOf } from '../doctor/item.ts';
import { setKernelFile } from '../kernel/kernel-file.ts';
import type { Ledger } from '../kernel/ledger.ts';
import { isPermitted, readText } from '../tools.ts';

const cpuRoot = '/sys/devices/system/cpu';

/** Frequency governor of all CPUs. */
export const governor = defineControl({
  schema: z.string().regex(/^\w+$/),
  scope: 'machine',
  files: [{ file: /^\/sys\/devices\/system\/cpu\/cpufreq\/policy\d+\/scaling_governor$/, values: /^\w+$/ }],
  apply: (wanted, { ledger }) => setGovernor(wanted, ledger),
  async doctor() {
    return [await examine()];
  },
});

/** `root` is another place of the CPU files, for tests. */
export async function setGovernor(wanted: string, ledger: Ledger, root = cpuRoot): Promise<ControlResult> {
  const name = 'host.governor';
  const policies = await readdir(`${root}/cpufreq`).catch(() => []);
  const files = policies.filter((entry) => entry.startsWith('policy')).map((entry) => `${root}/cpufreq/${entry}`);
  if (files.length === 0) return refuse(name, wanted, 'this machine has no frequency governor, as most virtual ones');
  const offered = (await readText(`${files[0]}/scaling_available_governors`))?.split(/\s+/) ?? [];
  if (offered.length > 0 && !offered.includes(wanted)) {
    return refuse(name, wanted, `this machine offers ${offered.join(', ')}`);
  }
  for (const file of files) {
    const setting = await setKernelFile(`${file}/scaling_governor`, wanted, ledger);
    if (setting.reason) return refuse(name, wanted, setting.reason, setting.current);
  }
  return settled(name, wanted, wanted);
}

async function examine(): Promise<DoctorItem> {
  const name = 'frequency governor';
  const file = `${cpuRoot}/cpufreq/policy0/scaling_governor`;
  const current = await readText(file);
  if (current === undefined) {
    return {
      name,
      state: 'missing',
      detail: 'the machine offers none, as most virtual ones: frequencies are not under control',
    };
  }
  if (!(await isPermitted(file, constants.W_OK))) {
    return { name, state: 'limited', detail: `${current}; it can't be changed by this user`, ...fixOf(asRoot()) };
  }
  return { name, state: 'works', detail: `${current}; can be changed` };
}
