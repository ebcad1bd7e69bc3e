import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { sentenceOf } from '../../lib/errors.ts';
import { openCache } from '../../lib/files/private-folder.ts';
import type { Control } from '../control.ts';
import { CONTROLS } from '../controls.ts';
import { openLedger } from '../kernel/ledger.ts';
import { joinedPrefix } from '../kernel/prefix.ts';
import { type DoctorItem, fixOf } from './item.ts';

/** Tries each control of the machine on something small, takes it back, and returns what became of it, by the control's key. */
export async function examineControls(cacheDirectory: string): Promise<ReadonlyMap<string, readonly DoctorItem[]>> {
  await openCache(cacheDirectory);
  const directory = await mkdtemp(join(cacheDirectory, 'doctor-'));
  const found = new Map<string, readonly DoctorItem[]>();
  try {
    await writeFile(join(directory, 'file'), Buffer.alloc(2 ** 20, 1));
    for (const [key, control] of Object.entries(CONTROLS)) {
      const attempt = (name: string, value: unknown, fix?: string) =>
        tryControl({ name, control, value, fix }, directory, cacheDirectory);
      found.set(key, (await control.doctor?.({ directory, try: attempt })) ?? []);
    }
    return found;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** A control on a program that does nothing, and back. */
async function tryControl(
  {
    name,
    control,
    value,
    fix,
  }: {
    readonly name: string;
    readonly control: Control;
    readonly value: unknown;
    readonly fix: string | undefined;
  },
  dataDirectory: string,
  cacheDirectory: string,
): Promise<DoctorItem> {
  const ledger = openLedger(cacheDirectory);
  const missing = (detail: string): DoctorItem => ({ name, state: 'missing', detail, ...fixOf(fix) });
  try {
    const place = { ledger, dataDirectory, directIo: false, command: [], results: new Map() };
    const result = await control.apply!(value, place);
    const record = result.effective[0]!;
    if (result.refused) return missing(record.note ?? 'refused');
    const argv = [...joinedPrefix([result]), 'true'];
    // Fixed: `true` ends at once; the rest is for the service manager.
    const ran = await execa(argv[0]!, argv.slice(1), { reject: false, stdin: 'ignore', timeout: 10_000 });
    if (ran.exitCode !== 0) return missing(ran.stderr.trim() || 'its command did not run');
    return { name, state: 'works', detail: record.note ?? `tried with ${record.effective}` };
  } catch (cause) {
    return missing(sentenceOf(cause));
  } finally {
    await ledger.revert();
  }
}
