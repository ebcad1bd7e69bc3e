import { constants } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { sentenceOf } from '../../lib/errors.ts';
import { isPermitted, isRoot, outputJson, readText } from '../tools.ts';
import { heldHere, type KnownFile, type Ledger } from './ledger.ts';

export type Controller = 'memory' | 'io';

/** A control group made for one trial; processes join it by writing their id to `cgroup.procs`. */
export interface Group {
  readonly version: 1 | 2;
  readonly directory: string;
}

interface Mount {
  readonly target: string;
  readonly fstype: string;
  readonly options: string;
}

/** The file that making a group changes. */
export const GROUP_FILES: readonly KnownFile[] = [
  { file: /^\/sys\/fs\/cgroup\/([\w.-]+\/)*cgroup\.subtree_control$/, values: /^-(memory|io)$/ },
];

let groupsMade = 0;

/** Makes a group that offers this controller, in the hierarchy that has it; else says why not. */
export async function makeGroup(controller: Controller, ledger: Ledger): Promise<Group | { readonly reason: string }> {
  const parent = await findParent(controller);
  if (!parent) return { reason: `no control group hierarchy here has the ${controller} controller` };
  if (!(await isPermitted(parent.directory, constants.W_OK))) {
    return { reason: isRoot() ? 'control groups are read-only here, as in containers' : 'only root may make a group' };
  }
  groupsMade += 1;
  const directory = `${parent.directory}/benchbook-${process.pid}-${groupsMade}`;
  try {
    if (parent.version === 2) await offerToChildren(parent.directory, controller, ledger);
    await ledger.add({ kind: 'remove-cgroup', path: directory });
    await mkdir(directory);
  } catch (cause) {
    return { reason: `the kernel refused a new group (${sentenceOf(cause)})` };
  }
  return { version: parent.version, directory };
}

/** Version 2 where it has the controller, else version 1. */
async function findParent(controller: Controller): Promise<Group | undefined> {
  const found = await outputJson<{ filesystems: readonly Mount[] }>('findmnt', [
    ...['--json', '--types', 'cgroup2,cgroup', '--output', 'TARGET,FSTYPE,OPTIONS'],
  ]);
  const mounts = flatten(found?.filesystems ?? []);
  for (const mount of mounts.filter((entry) => entry.fstype === 'cgroup2')) {
    const controllers = await readText(`${mount.target}/cgroup.controllers`);
    if (controllers?.split(' ').includes(controller)) return { version: 2, directory: mount.target };
  }
  const old = controller === 'io' ? 'blkio' : controller;
  const mount = mounts.find((entry) => entry.fstype === 'cgroup' && entry.options.split(',').includes(old));
  return mount && { version: 1, directory: mount.target };
}

function flatten(mounts: readonly (Mount & { children?: readonly Mount[] })[]): readonly Mount[] {
  return mounts.flatMap((mount) => [mount, ...flatten(mount.children ?? [])]);
}

/** A version 2 group hands only those controllers down that it names. */
async function offerToChildren(parent: string, controller: Controller, ledger: Ledger): Promise<void> {
  const path = `${parent}/cgroup.subtree_control`;
  const undo = { kind: 'write', path, value: `-${controller}` } as const;
  if ((await readText(path))?.trim().split(' ').includes(controller)) {
    if (heldHere(undo) !== undefined) await ledger.add(undo);
    return;
  }
  await ledger.add(undo);
  await writeFile(path, `+${controller}`);
}

/** Puts a program into groups and then becomes it, so that its process id stays. */
export function groupPrefix(groups: readonly Group[]): readonly string[] {
  if (groups.length === 0) return [];
  const joins = groups.map((_, index) => `echo $$ > "$${index + 1}/cgroup.procs"`);
  const script = `${joins.join(' && ')} && shift ${groups.length} && exec "$@"`;
  return ['sh', '-c', script, 'sh', ...groups.map((group) => group.directory)];
}
