import { type DoctorItem, examine } from '../../host/doctor.ts';
import type { BenchbookError } from '../../lib/errors.ts';
import { openCache } from '../../lib/files/private-folder.ts';
import { findChromium } from '../../render/chromium.ts';
import { reapLeftovers } from '../../server/cache.ts';
import { cacheDirectory } from '../places/cache.ts';

/** `benchbook doctor`: what this machine offers and lacks, and the one command that would enable it. */
export async function doctor(options: { json?: boolean }): Promise<number> {
  const chromium = await findChromium();
  const browser = chromium
    ? {
        name: 'Chromium',
        state: 'works' as const,
        detail: `${chromium.version} at ${chromium.path}: reports are printed as PDF`,
      }
    : {
        name: 'Chromium',
        state: 'missing' as const,
        detail: 'reports are written as HTML only',
        fix: 'apt-get install chromium',
      };
  // Servers first: what a killed run changed can't be restored while its server lives.
  const problem = await openCache(cacheDirectory()).then(
    () => null,
    (error: BenchbookError) => error,
  );
  const ended = (problem === null ? await reapLeftovers(cacheDirectory()) : []).map((detail) => ({
    name: 'left by a killed run',
    state: 'works' as const,
    detail,
  }));
  const items: readonly DoctorItem[] = [...(await examine(cacheDirectory(), problem)), browser, ...ended];
  if (options.json) {
    // The name under which programs already read it.
    console.log(
      JSON.stringify(
        items.map(({ fix, ...item }) => ({ ...item, ...(fix === undefined ? {} : { mend: fix }) })),
        null,
        2,
      ),
    );
    return 0;
  }
  const mark = { works: 'works  ', limited: 'limited', missing: 'missing' };
  for (const item of items) {
    console.log(
      `${mark[item.state]}  ${item.name}: ${item.detail}${item.fix === undefined ? '' : `\n         → ${item.fix}`}`,
    );
  }
  return 0;
}
