import { execa } from 'execa';
import type { HostRequest } from '../study/types.ts';
import type { ControlResult, Effective, HostCaution } from './control.ts';
import { groupPrefix } from './controls/cgroup.ts';
import { reserveHugePages } from './controls/huge-pages.ts';
import { limitIo } from './controls/io-limit.ts';
import { setGovernor, setTransparentHugePages, setTurbo } from './controls/machine-wide.ts';
import { limitMemory, readLimitEvents, readMemoryUse } from './controls/memory-limit.ts';
import { setPageCache } from './controls/page-cache.ts';
import { pinToCpus, setNiceness } from './controls/schedule.ts';
import { prepareStorage } from './controls/storage-place.ts';
import { verifyProcess } from './controls/verify.ts';
import { type Ledger, openLedger } from './ledger.ts';

export interface AppliedControls {
  /** Put before the server's command line; the process that is spawned becomes the server, with the same id. */
  readonly prefix: readonly string[];
  /** Requested against effective, one record for each thing asked for. */
  readonly effective: readonly Effective[];
  readonly cautions: readonly HostCaution[];
  /** One sentence for each control that the machine does not allow. */
  readonly refused: readonly string[];
  /**
   * Brings the page cache of the data directory into the state asked for once more, before a further start in the same
   * trial, such as the one after data were loaded. Its record and cautions take the place of the earlier ones.
   */
  setPageCache(): Promise<ControlResult | undefined>;
  /** Looks at the running server itself: a caution for each thing asked for that it does not have. */
  verify(pid: number): Promise<readonly HostCaution[]>;
  /** What the kernel counts for the memory limit while the server runs: bytes and events by name; empty without one. */
  memoryUse(): Promise<Readonly<Record<string, number>>>;
  /**
   * Takes everything back, after the server has ended; never throws and may be called twice. Resolves to what the
   * limits did to the trial, and to a caution for each thing that could not be restored.
   */
  revert(): Promise<readonly HostCaution[]>;
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
  if (request.storage === undefined) return undefined;
  const ledger = openLedger(cacheDirectory);
  const {
    directory,
    effective,
    cautions = [],
  } = await revertedOnError(ledger, () => prepareStorage(request.storage!, ledger));
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
  return revertedOnError(ledger, async () => {
    const machine = await applyMachineWide(request, ledger);
    const memory = request.memoryLimit === undefined ? undefined : await limitMemory(request.memoryLimit, ledger);
    const io = request.ioLimit === undefined ? undefined : await limitIo(request.ioLimit, place.dataDirectory, ledger);
    const groups = [memory?.group, io?.group].filter((group) => group !== undefined);
    const scopePrefix = memory && !memory.group && !memory.refused ? (memory.prefix ?? []) : [];
    const joinPrefix = [...scopePrefix, ...groupPrefix(groups)];
    const schedule = await applySchedule(request);
    const prefix = [...joinPrefix, ...schedule.flatMap((result) => result.prefix ?? [])];
    const setCache = async () => {
      const limited = memory !== undefined && !memory.refused;
      if (request.pageCache === undefined && !limited) return undefined;
      // Pages cached outside of a limited group are not charged to it: they are dropped, and read inside of it.
      return setPageCache(request.pageCache ?? 'as-is', place.dataDirectory, {
        readerPrefix: groupPrefix(memory?.group ? [memory.group] : []),
        directIo: place.directIo ?? false,
        command: place.command ?? [],
        dropFirst: limited,
      });
    };
    const costs = await prefixCaution(prefix);
    // Last, since everything above reads files too.
    const cache = await setCache();
    const present = [...machine, memory, io, ...schedule, cache].filter((result) => result !== undefined);
    return {
      prefix,
      effective: present.flatMap((result) => result.effective),
      cautions: [
        ...present.flatMap((result) => result.cautions ?? []),
        ...outsideCaution(request, scopePrefix),
        ...costs,
      ],
      refused: present.flatMap((result) => (result.refused === undefined ? [] : [result.refused])),
      setPageCache: setCache,
      verify: (pid) => verifyProcess(request, pid, namesOfRefused(present)),
      memoryUse: async () => (memory?.group ? readMemoryUse(memory.group) : {}),
      revert: async () => {
        const events = memory?.group ? await readLimitEvents(memory.group) : [];
        return [...events, ...(await revertLedger(ledger))];
      },
    };
  });
}

async function applyMachineWide(request: HostRequest, ledger: Ledger): Promise<readonly ControlResult[]> {
  const results: ControlResult[] = [];
  if (request.governor !== undefined) results.push(await setGovernor(request.governor, ledger));
  if (request.turbo !== undefined) results.push(await setTurbo(request.turbo, ledger));
  if (request.transparentHugePages !== undefined) {
    results.push(await setTransparentHugePages(request.transparentHugePages, ledger));
  }
  const huge = request.hugePages;
  if (huge !== undefined) {
    results.push(await reserveHugePages(typeof huge === 'string' ? { amount: huge } : huge, ledger));
  }
  return results;
}

async function applySchedule(request: HostRequest): Promise<readonly ControlResult[]> {
  const results: ControlResult[] = [];
  if (request.cpus !== undefined) results.push(await pinToCpus(request.cpus));
  if (request.nice !== undefined) results.push(await setNiceness(request.nice));
  return results;
}

function outsideCaution(request: HostRequest, scopePrefix: readonly string[]): readonly HostCaution[] {
  if (scopePrefix.length === 0 || request.pageCache !== 'warm') return [];
  const sentence = 'The page cache was warmed outside of the memory limit, which therefore does not count those pages.';
  return [{ code: 'warmed-outside-limit', sentence, about: 'host.pageCache' }];
}

/** What the programs before the server's own add to its start, which is timed from the spawn of the first of them. */
async function prefixCaution(prefix: readonly string[]): Promise<readonly HostCaution[]> {
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

function namesOfRefused(results: readonly ControlResult[]): readonly string[] {
  return results
    .filter((result) => result.refused !== undefined)
    .flatMap((result) => result.effective.map((record) => record.name));
}

async function revertedOnError<T>(ledger: Ledger, apply: () => Promise<T>): Promise<T> {
  try {
    return await apply();
  } catch (cause) {
    await ledger.revert();
    throw cause;
  }
}

async function revertLedger(ledger: Ledger): Promise<readonly HostCaution[]> {
  const sentences = await ledger.revert();
  return sentences.map((sentence) => ({ code: 'host-not-restored', sentence }));
}
