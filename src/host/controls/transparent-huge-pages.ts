import { constants } from 'node:fs';
import { z } from 'zod';
import { defineControl, refuse, settled } from '../control.ts';
import { asRoot, type DoctorItem, fixOf } from '../doctor/item.ts';
import { setKernelFile } from '../kernel/kernel-file.ts';
import { isPermitted, readChoice } from '../tools.ts';

const path = '/sys/kernel/mm/transparent_hugepage/enabled';

/** Mode of transparent huge pages, for the whole machine. */
export const transparentHugePages = defineControl({
  schema: z.enum(['always', 'madvise', 'never']),
  scope: 'machine',
  files: [{ file: /^\/sys\/kernel\/mm\/transparent_hugepage\/enabled$/, values: /^(always|madvise|never)$/ }],
  async apply(mode, { ledger }) {
    const name = 'host.transparentHugePages';
    const setting = await setKernelFile(path, mode, ledger);
    return setting.reason ? refuse(name, mode, setting.reason, setting.current) : settled(name, mode, setting.current);
  },
  async doctor() {
    return [await examine()];
  },
});

async function examine(): Promise<DoctorItem> {
  const name = 'transparent huge pages';
  const mode = await readChoice(path);
  if (mode === undefined) return { name, state: 'missing', detail: 'this kernel has none' };
  if (!(await isPermitted(path, constants.W_OK))) {
    return { name, state: 'limited', detail: `${mode}; it can't be changed by this user`, ...fixOf(asRoot()) };
  }
  return { name, state: 'works', detail: `${mode}; can be changed` };
}
