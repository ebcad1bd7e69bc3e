import { z } from 'zod';
import { type Control, SCOPES } from './control.ts';
import { cpus } from './controls/cpus.ts';
import { governor } from './controls/governor.ts';
import { hugePages } from './controls/huge-pages.ts';
import { ioLimit } from './controls/io-limit.ts';
import { memoryLimit } from './controls/memory-limit.ts';
import { nice } from './controls/nice.ts';
import { pageCache } from './controls/page-cache.ts';
import { storage } from './controls/storage.ts';
import { transparentHugePages } from './controls/transparent-huge-pages.ts';
import { turbo } from './controls/turbo.ts';

/** The controls of the machine by the key that a study writes in `host`. The doctor tries them in this order. */
const REGISTRY = {
  /**
   * State of the page cache of the data directory when the server starts: `cold` (dropped), `warm` (all files read),
   * `as-is` (as the copying of the directory left it; the residency is recorded).
   */
  pageCache,
  /** Memory of the server and its page cache together, without swap: `16G`. */
  memoryLimit,
  /** Rates at which the server may use the disk of its data directory; amounts are for a second. */
  ioLimit,
  /** Huge pages reserved before the start, of the default size or another: `1200M`, `{ amount: '2G', pageSize: '1G' }`. */
  hugePages,
  /** Mode of transparent huge pages, for the whole machine. */
  transparentHugePages,
  /** CPUs that the server may run on: `0-3,8`. */
  cpus,
  /** Niceness of the server from -20 (first) to 19 (last). */
  nice,
  /** Frequency governor of all CPUs: `performance`. */
  governor,
  /** Turbo or boost frequencies. */
  turbo,
  /** Where the data directory lies: `tmpfs`, or an absolute directory on the storage to measure. */
  storage,
};

type Registry = typeof REGISTRY;

/**
 * What a study may ask of the machine, for each variant. A control that the machine does not allow is refused with a
 * reason; what was obtained stands beside what was asked for.
 */
export type HostRequest = { -readonly [Key in keyof Registry]?: z.output<Registry[Key]['schema']> | undefined };

export const CONTROLS: Readonly<Record<string, Control>> = REGISTRY;

export const hostRequestSchema = z.strictObject(
  Object.fromEntries(Object.entries(CONTROLS).map(([key, { schema }]) => [key, schema.optional()])),
);

/** The controls in the order in which they are applied. */
export function inOrder(): readonly (readonly [key: string, control: Control])[] {
  return SCOPES.flatMap((wanted) => Object.entries(CONTROLS).filter(([, { scope }]) => scope === wanted));
}

/** The value that a request holds for a control; undefined where it asks for none. */
export function requestedValue(request: HostRequest, key: string): unknown {
  return request[key as keyof HostRequest];
}

/** Why two trials with these requests cannot run at the same time; null where they can. */
export function hindranceSideBySide(one: HostRequest, other: HostRequest): string | null {
  for (const [key, { scope }] of Object.entries(CONTROLS)) {
    const [a, b] = [requestedValue(one, key), requestedValue(other, key)];
    if (scope === 'supply' && a !== undefined && b !== undefined)
      return `both halves of the duet ask for host.${key}, which come from one supply of the machine`;
    if (scope === 'machine' && a !== b)
      return `host.${key} is one setting for the whole machine, and the halves of the duet ask for ${text(a)} and ${text(b)}`;
  }
  return null;
}

function text(value: unknown): string {
  return value === undefined ? 'none' : JSON.stringify(value);
}
