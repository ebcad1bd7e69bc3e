import { FAMILIES, familyOf } from '../../families/families.ts';
import type { Family } from '../../families/family.ts';

/** Whose spelling is wanted. */
export interface Speaker {
  readonly family: Family;
  readonly version: string;
}

/** Variables under which an option is found where its own name is none. */
const READ_BACK: Readonly<Record<string, readonly string[]>> = {
  transaction_isolation: ['tx_isolation'],
  transaction_read_only: ['tx_read_only'],
  default_time_zone: ['time_zone'],
  temp_pool: ['use_temp_pool'],
  memlock: ['locked_in_memory'],
  ssl: ['have_ssl'],
  symbolic_links: ['have_symlink'],
};

/** An option's name in lower case and with underscores; the prefix `loose_` is kept. */
export function optionName(name: string): string {
  return name.trim().replace(/^--/, '').replaceAll('-', '_').toLowerCase();
}

/** The name under which this server knows an option, without `loose_`. */
export function nameFor(name: string, speaker: Speaker): string {
  const plain = optionName(name).replace(/^loose_/, '');
  const version = versionNumber(speaker.version);
  const renaming = familyOf(speaker).renamings.find(({ from, since }) => version >= since && from.test(plain));
  return renaming === undefined ? plain : plain.replace(renaming.from, renaming.to);
}

/** The newest name of an option in any family: two spellings of one option have one. */
export function newestName(name: string): string {
  const renaming = FAMILIES.flatMap(({ renamings }) => renamings).find(({ from }) => from.test(name));
  return renaming === undefined ? name : name.replace(renaming.from, renaming.to);
}

/** The variables that could tell what became of an option, best first; `inverted` where ON of the option is OFF there. */
export function variablesOf(name: string): readonly { readonly variable: string; readonly inverted: boolean }[] {
  const straight = [name, ...(READ_BACK[name] ?? [])].map((variable) => ({ variable, inverted: false }));
  const positive = /^(?:skip|disable)_(.+)$/.exec(name)?.[1];
  if (positive === undefined) return [...straight, { variable: `skip_${name}`, inverted: true }];
  const turned = [positive, ...(READ_BACK[positive] ?? [])].map((variable) => ({ variable, inverted: true }));
  return [...straight, ...turned];
}

/** "10.11.19-MariaDB" as 101119. */
export function versionNumber(version: string): number {
  const [, major = '0', minor = '0', patch = '0'] = /^(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(version) ?? [];
  return Number(major) * 10000 + Number(minor) * 100 + Number(patch);
}
