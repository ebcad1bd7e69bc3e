import { z } from 'zod';
import { type ControlResult, defineControl, refuse, settled } from '../control.ts';
import { setKernelFile } from '../kernel/kernel-file.ts';
import type { Ledger } from '../kernel/ledger.ts';
import { readText } from '../tools.ts';

const cpuRoot = '/sys/devices/system/cpu';

/** Turbo or boost frequencies: on or off. */
export const turbo = defineControl({
  schema: z.boolean(),
  scope: 'machine',
  files: [{ file: /^\/sys\/devices\/system\/cpu\/(intel_pstate\/no_turbo|cpufreq\/boost)$/, values: /^[01]$/ }],
  apply: (wanted, { ledger }) => setTurbo(wanted, ledger),
});

/** `root` is another place of the CPU files, for tests. */
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
