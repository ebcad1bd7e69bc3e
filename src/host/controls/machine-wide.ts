import { readdir } from 'node:fs/promises';
import { type ControlResult, refuse, settled } from '../control.ts';
import type { Ledger } from '../ledger.ts';
import { readText } from '../tools.ts';
import { setKernelFile } from './kernel-file.ts';

const cpuRoot = '/sys/devices/system/cpu';

/** Mode of transparent huge pages: `always`, `madvise`, `never`. */
export async function setTransparentHugePages(mode: string, ledger: Ledger): Promise<ControlResult> {
  const name = 'host.transparentHugePages';
  const setting = await setKernelFile('/sys/kernel/mm/transparent_hugepage/enabled', mode, ledger);
  return setting.reason ? refuse(name, mode, setting.reason, setting.current) : settled(name, mode, setting.current);
}

/** Frequency governor of every CPU. `root` is another place of the CPU files, for tests. */
export async function setGovernor(governor: string, ledger: Ledger, root = cpuRoot): Promise<ControlResult> {
  const name = 'host.governor';
  const policies = await readdir(`${root}/cpufreq`).catch(() => []);
  const files = policies.filter((entry) => entry.startsWith('policy')).map((entry) => `${root}/cpufreq/${entry}`);
  if (files.length === 0) return refuse(name, governor, 'this machine has no frequency governor, as most virtual ones');
  const offered = (await readText(`${files[0]}/scaling_available_governors`))?.split(/\s+/) ?? [];
  if (offered.length > 0 && !offered.includes(governor)) {
    return refuse(name, governor, `this machine offers ${offered.join(', ')}`);
  }
  for (const file of files) {
    const setting = await setKernelFile(`${file}/scaling_governor`, governor, ledger);
    if (setting.reason) return refuse(name, governor, setting.reason, setting.current);
  }
  return settled(name, governor, governor);
}

/** Turbo or boost frequencies: on or off. */
export async function setTurbo(wanted: boolean, ledger: Ledger, root = cpuRoot): Promise<ControlResult> {
  const name = 'host.turbo';
  const word = (on: boolean) => (on ? 'on' : 'off');
  const intel = (await readText(`${root}/intel_pstate/no_turbo`)) !== undefined;
  // Intel's file says the opposite.
  const [path, value] = intel
    ? [`${root}/intel_pstate/no_turbo`, wanted ? '0' : '1']
    : [`${root}/cpufreq/boost`, wanted ? '1' : '0'];
  const setting = await setKernelFile(path, value, ledger);
  const current = setting.current === null ? null : word((setting.current === value) === wanted);
  return setting.reason ? refuse(name, word(wanted), setting.reason, current) : settled(name, word(wanted), current);
}
