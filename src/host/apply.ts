import { execa } from 'execa';
import type { Caution, SettingRecord } from '../journal/entry.ts';
import type { Control, ControlPlace, ControlResult } from './control.ts';
import { type HostRequest, inOrder, requestedValue } from './controls.ts';
import { type Ledger, openLedger } from './kernel/ledger.ts';
import { joinedPrefix } from './kernel/prefix.ts';

interface Refusal {
  readonly key: string;
  readonly sentence: string;
}

export interface AppliedControls {
  /** Put before the server's command line; the process that is spawned becomes the server, with the same id. */
  readonly prefix: readonly string[];
  /** Requested against effective, one record for each thing asked for. */
  readonly effective: readonly SettingRecord[];
  readonly cautions: readonly Caution[];
  /** The controls that the machine does not allow: the request's key, and one sentence. */
  readonly refused: readonly Refusal[];
  /**
   * Applies once more what each start of the server needs (the state of the page cache), before a further start in the same
   * trial, such as the one after data were loaded. Its records and cautions replace those of the start before.
   */
  applyForStart(): Promise<readonly ControlResult[]>;
  /** Looks at the running server itself: a caution for each thing asked for that it does not have. */
  verify(pid: number): Promise<readonly Caution[]>;
  /** What the kernel counts for the memory limit while the server runs: bytes and events by name; empty without one. */
  memoryUse(): Promise<Readonly<Record<string, number>>>;
  /**
   * Takes everything back, after the server has ended; never throws and may be called twice. Resolves to what the
   * limits did to the trial, and to a caution for each thing that could not be restored.
   */
  revert(): Promise<readonly Caution[]>;
}

/** A fresh directory on the storage asked for. */
export interface StoragePlace extends Pick<AppliedControls, 'effective' | 'cautions' | 'revert'> {
  readonly directory: string;
}

/**
 * Where the data directory of a trial is to be made, before it is filled; undefined where the study leaves it open.
 * @throws BenchbookError('study') for a place that can't be used.
 */
export async function applyStorage(request: HostRequest, cacheDirectory: string): Promise<StoragePlace | undefined> {
  const [found] = requested(request).filter(({ control }) => control.makeDirectory !== undefined);
  if (found === undefined) return undefined;
  const ledger = openLedger(cacheDirectory);
  const {
    directory,
    effective,
    cautions = [],
  } = await revertedOnError(ledger, () => found.control.makeDirectory!(found.value, ledger));
  return { directory, effective, cautions, revert: () => revertLedger(ledger) };
}

/**
 * Brings the machine into the state that a variant asks for, just before its server is spawned on `dataDirectory`,
 * which is filled and at rest. Each control is verified; how to take it back is on disk below `cacheDirectory` first.
 * @param place `directIo`: the server reads its data files past the page cache. `command`: runs the server's program, which is
 *   read again with its libraries where the whole machine's page cache had to be dropped.
 * @throws BenchbookError('study') for a request that makes no sense on any machine.
 */
export async function applyControls(
  request: HostRequest,
  place: {
    readonly dataDirectory: string;
    readonly cacheDirectory: string;
    readonly directIo?: boolean;
    readonly command?: readonly string[];
  },
): Promise<AppliedControls> {
  const ledger = openLedger(place.cacheDirectory);
  const results = new Map<string, ControlResult>();
  const { dataDirectory, directIo = false, command = [] } = place;
  const controlPlace: ControlPlace = { ledger, dataDirectory, directIo, command, results };
  const isForStart = ({ eachStart }: Control) => eachStart === true;
  const apply = async (isWanted: (control: Control) => boolean) => {
    const applied: ControlResult[] = [];
    for (const [key, control] of inOrder()) {
      const value = requestedValue(request, key) ?? control.valueWhenOpen?.(results);
      if (value === undefined || control.apply === undefined || !isWanted(control)) continue;
      const result = await control.apply(value, controlPlace);
      results.set(key, result);
      applied.push(result);
    }
    return applied;
  };
  return revertedOnError(ledger, async () => {
    const before = await apply((control) => !isForStart(control));
    const prefix = joinedPrefix(before);
    const costs = await prefixCaution(prefix);
    // Last, since everything above reads files too.
    const present = [...before, ...(await apply(isForStart))];
    return {
      prefix,
      effective: present.flatMap((result) => result.effective),
      cautions: [...present.flatMap((result) => result.cautions ?? []), ...costs],
      refused: [...results].flatMap(([key, { refused }]) =>
        refused === undefined ? [] : [{ key, sentence: refused }],
      ),
      applyForStart: () => apply(isForStart),
      verify: (pid) => verifyControls(request, results, pid),
      memoryUse: async () => Object.assign({}, ...(await Promise.all(before.map((result) => result.use?.() ?? {})))),
      revert: async () => {
        const events = await Promise.all(before.map((result) => result.events?.() ?? []));
        return [...events.flat(), ...(await revertLedger(ledger))];
      },
    };
  });
}

/** The controls that a request asks for, in the order in which they are applied. */
function requested(request: HostRequest): readonly { readonly key: string; control: Control; value: unknown }[] {
  return inOrder().flatMap(([key, control]) => {
    const value = requestedValue(request, key);
    return value === undefined ? [] : [{ key, control, value }];
  });
}

/** Compares the running server with what was asked for; a control that was refused is not checked again. */
async function verifyControls(
  request: HostRequest,
  results: ReadonlyMap<string, ControlResult>,
  pid: number,
): Promise<readonly Caution[]> {
  const cautions: Caution[] = [];
  for (const { key, control, value } of requested(request)) {
    if (results.get(key)?.refused !== undefined) continue;
    const mismatch = await control.verify?.(value, pid);
    if (mismatch === undefined) continue;
    const sentence = `The running server has ${mismatch.found} where ${mismatch.wanted} was asked for.`;
    cautions.push({ code: 'control-not-in-effect', sentence, about: `host.${key}` });
  }
  return cautions;
}

/** What the programs before the server's own add to its start, which is timed from the spawn of the first of them. */
async function prefixCaution(prefix: readonly string[]): Promise<readonly Caution[]> {
  if (prefix.length === 0) return [];
  const shortestMs = async (argv: readonly string[]) => {
    const durations: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) {
      const done = await execa(argv[0]!, argv.slice(1), { reject: false, stdio: 'ignore' });
      durations.push(done.durationMs);
    }
    return Math.min(...durations);
  };
  const added = (await shortestMs([...prefix, 'true'])) - (await shortestMs(['true']));
  const programs = prefix.filter((word) => ['sh', 'taskset', 'nice', 'systemd-run'].includes(word));
  const through = [...new Set(programs)].join(', ');
  const sentence = `The server was started through ${through}, which adds about ${Math.max(0, added).toFixed(1)} ms to start-up times.`;
  return [{ code: 'start-through-prefix', sentence, about: 'startup' }];
}

async function revertedOnError<T>(ledger: Ledger, apply: () => Promise<T>): Promise<T> {
  try {
    return await apply();
  } catch (cause) {
    await ledger.revert();
    throw cause;
  }
}

async function revertLedger(ledger: Ledger): Promise<readonly Caution[]> {
  const sentences = await ledger.revert();
  return sentences.map((sentence) => ({ code: 'host-not-restored', sentence }));
}
