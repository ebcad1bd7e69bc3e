import { getPriority } from 'node:os';
import { z } from 'zod';
import { defineControl, refuse, settled } from '../control.ts';
import { asRoot } from '../doctor/item.ts';
import { isRoot } from '../tools.ts';

/** Niceness of the server from -20 (first) to 19 (last). */
export const nice = defineControl({
  schema: z.number().int().min(-20).max(19),
  scope: 'process',
  async apply(wanted) {
    const name = 'host.nice';
    // `nice` adds, and runs the program also when it was not permitted.
    const prefix = ['nice', '-n', String(wanted - getPriority())];
    // Loaded late: a study names its controls, and a report that is rendered applies none.
    const { execa } = await import('execa');
    const tried = await execa('nice', [...prefix.slice(1), 'nice'], { reject: false });
    const effective = tried.stdout.trim() || null;
    if (effective !== String(wanted)) {
      return refuse(name, String(wanted), isRoot() ? 'the kernel refused it' : 'only root may go first', effective);
    }
    return { ...settled(name, String(wanted), effective), prefix };
  },
  async verify(wanted, pid) {
    const found = niceOf(pid);
    if (found === undefined || found === wanted) return undefined;
    return { wanted: `niceness ${wanted}`, found: `niceness ${found}` };
  },
  async doctor(bench) {
    return [await bench.try('priority', -1, asRoot())];
  },
});

function niceOf(pid: number): number | undefined {
  try {
    return getPriority(pid);
  } catch {
    return undefined; // It has ended.
  }
}
