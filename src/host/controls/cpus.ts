import { z } from 'zod';
import { sameCpus } from '../../lib/process/cpu-list.ts';
import { allowedCpusOf } from '../../lib/process/proc.ts';
import { defineControl, refuse, settled } from '../control.ts';
import { install } from '../doctor/item.ts';

const name = 'host.cpus';

/** CPUs that the server may run on. `taskset` is tried before it is promised. */
export const cpus = defineControl({
  schema: z.string().regex(/^\d+(-\d+)?(,\d+(-\d+)?)*$/, 'a list of CPUs is written like 0-3,8'),
  scope: 'process',
  async apply(list) {
    // Loaded late: a study names its controls, and a report that is rendered applies none.
    const { execa } = await import('execa');
    const tried = await execa('taskset', ['--cpu-list', list, 'sh', '-c', 'grep Cpus_allowed_list /proc/$$/status'], {
      reject: false,
    });
    if (tried.code === 'ENOENT') return refuse(name, list, 'there is no taskset (package util-linux)');
    if (tried.exitCode !== 0)
      return refuse(name, list, `not among the CPUs of this machine (${lastWords(tried.stderr)})`);
    const effective = tried.stdout.split(':')[1]?.trim() ?? null;
    const result = settled(name, list, effective !== null && sameCpus(list, effective) ? list : effective);
    return { ...result, prefix: ['taskset', '--cpu-list', list] };
  },
  async verify(list, pid) {
    const found = allowedCpusOf(pid);
    if (found === null || sameCpus(list, found)) return undefined;
    return { wanted: `CPUs ${list}`, found: `CPUs ${found}` };
  },
  async doctor(bench) {
    return [await bench.try('CPU affinity', '0', install('util-linux'))];
  },
});

function lastWords(stderr: string): string {
  return stderr.trim().split('\n').at(-1)?.split(': ').at(-1) ?? '';
}
