import { getPriority } from 'node:os';
import { execa } from 'execa';
import { sameCpus } from '../../lib/process/cpu-list.ts';
import { type ControlResult, refuse, settled } from '../control.ts';
import { isRoot } from '../tools.ts';

/** CPUs that the server may run on, as a list such as `0-3,8`. Tried with `taskset` before it is promised. */
export async function pinToCpus(cpus: string): Promise<ControlResult> {
  const name = 'host.cpus';
  const tried = await execa('taskset', ['--cpu-list', cpus, 'sh', '-c', 'grep Cpus_allowed_list /proc/$$/status'], {
    reject: false,
  });
  if (tried.code === 'ENOENT') return refuse(name, cpus, 'there is no taskset (package util-linux)');
  if (tried.exitCode !== 0)
    return refuse(name, cpus, `not among the CPUs of this machine (${lastWords(tried.stderr)})`);
  const effective = tried.stdout.split(':')[1]?.trim() ?? null;
  const result = settled(name, cpus, effective !== null && sameCpus(cpus, effective) ? cpus : effective);
  return { ...result, prefix: ['taskset', '--cpu-list', cpus] };
}

/** Niceness of the server from -20 (first) to 19 (last). */
export async function setNiceness(nice: number): Promise<ControlResult> {
  const name = 'host.nice';
  // `nice` adds, and runs the program also when it was not permitted.
  const prefix = ['nice', '-n', String(nice - getPriority())];
  const tried = await execa('nice', [...prefix.slice(1), 'nice'], { reject: false });
  const effective = tried.stdout.trim() || null;
  if (effective !== String(nice)) {
    return refuse(name, String(nice), isRoot() ? 'the kernel refused it' : 'only root may go first', effective);
  }
  return { ...settled(name, String(nice), effective), prefix };
}

function lastWords(stderr: string): string {
  return stderr.trim().split('\n').at(-1)?.split(': ').at(-1) ?? '';
}
