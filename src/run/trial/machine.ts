import { familyOf } from '../../families/families.ts';
import type { AppliedControls, StoragePlace } from '../../host/apply.ts';
import type { ControlResult } from '../../host/control.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Build } from '../../server/build.ts';
import type { HostRequest, Options } from '../../study/types.ts';
import type { Effects } from '../world/effects.ts';
import type { TrialRecord } from './trial-record.ts';

/** The machine during one trial: where the data lie, which controls are applied, and what else runs. */
export interface TrialMachine {
  readonly dataDirectory: string;
  /** False on storage that the study asks for. */
  readonly isOrdinary: boolean;
  /**
   * Brings the machine into the state asked for, once the data directory is filled, before each start of the server (the page
   * cache again, where the trial starts its server more than once); gives the prefix of the server's command.
   */
  prepare(build: Build, options: Options): Promise<readonly string[]>;
  /** Compares the running server with what was asked for. */
  verify(pid: number): Promise<void>;
  /** Records what the memory limit counted; called before the server ends. */
  recordMemoryUse(): Promise<void>;
  /** Takes everything back, after the server has ended. Never throws. */
  revert(): Promise<void>;
}

/**
 * The controls of one trial, on the storage asked for, and a watch over the rest of the machine. Whatever is asked for,
 * obtained or refused goes into `record`, and so do disturbances.
 *
 * @param ordinaryDirectory where the data directory lies unless the study asks for other storage.
 * @param watchAlso receives the directory of such storage, so that a server on it ends with this process.
 */
export async function machineFor(
  request: HostRequest,
  ordinaryDirectory: string,
  cacheDirectory: string,
  effects: Effects,
  record: TrialRecord,
  watchAlso: (directory: string) => void,
): Promise<TrialMachine> {
  const place: StoragePlace | undefined = await effects.applyStorage(request, cacheDirectory);
  if (place !== undefined) {
    addTo(record, place);
    watchAlso(place.directory);
  }
  const dataDirectory =
    place === undefined ? ordinaryDirectory : `${place.directory}/${ordinaryDirectory.split('/').at(-1)}`;
  const watch = await effects.watchHost(cacheDirectory);
  let controls: AppliedControls | undefined;
  const pids: number[] = [];
  return {
    dataDirectory,
    isOrdinary: place === undefined,
    async prepare(build, options) {
      if (controls !== undefined) {
        replaceLast(record, await controls.applyForStart());
        return controls.prefix;
      }
      const directIo = usesDirectIo(build, options);
      const { command } = build;
      controls = await effects.applyControls(request, { dataDirectory, cacheDirectory, directIo, command });
      addTo(record, controls);
      for (const { sentence } of controls.refused)
        record.cautions.push({ code: 'control-refused', sentence, about: 'host' });
      refuseOtherPages(request, options, controls.refused);
      return controls.prefix;
    },
    async verify(pid) {
      pids.push(pid);
      record.cautions.push(...((await controls?.verify(pid)) ?? []));
    },
    async recordMemoryUse() {
      const use = (await controls?.memoryUse()) ?? {};
      if (Object.keys(use).length > 0) record.details['host.memory'] = use;
    },
    async revert() {
      const ended = await watch.end(pids).catch(() => null);
      if (ended !== null) {
        record.cautions.push(...ended.cautions);
        record.details['host.watch'] = ended.figures;
      }
      record.cautions.push(...((await controls?.revert()) ?? []), ...((await place?.revert()) ?? []));
    },
  };
}

function addTo(record: TrialRecord, given: Pick<AppliedControls, 'effective' | 'cautions'>): void {
  record.settings.push(...given.effective);
  record.cautions.push(...given.cautions);
}

/** A server that cannot get large pages runs with normal ones. That is another variant, so the trial is skipped. */
function refuseOtherPages(request: HostRequest, options: Options, refused: AppliedControls['refused']): void {
  const wanted = Object.entries(options).some(
    ([name, value]) => /^large[-_]pages$/i.test(name) && /^(true|1|on)$/i.test(String(value)),
  );
  const refusal = refused.find(({ key }) => key === 'hugePages');
  if (request.hugePages === undefined || !wanted || refusal === undefined) return;
  throw new BenchbookError('measure', `it asks for large pages, and there are none for it: ${refusal.sentence}`, {
    outcome: 'skipped',
  });
}

/** Replaces the records of the first start by those of the last one, and adds cautions that are new. */
function replaceLast(record: TrialRecord, results: readonly ControlResult[]): void {
  for (const setting of results.flatMap(({ effective }) => effective)) {
    const index = record.settings.findIndex(({ name }) => name === setting.name);
    record.settings.splice(Math.max(0, index), index < 0 ? 0 : 1, setting);
  }
  const known = new Set(record.cautions.map(({ code }) => code));
  record.cautions.push(...results.flatMap(({ cautions = [] }) => cautions).filter(({ code }) => !known.has(code)));
}

/**
 * Whether the server reads its data files past the page cache: as asked for, else by the default of its version (MariaDB from
 * 10.6.0, MySQL from 8.4.0).
 */
function usesDirectIo(build: Build, options: Options): boolean {
  const method = options.innodb_flush_method;
  if (method !== undefined) return /direct/i.test(String(method));
  const buffering = options.innodb_data_file_buffering;
  if (buffering !== undefined) return /^(off|0|false)$/i.test(String(buffering));
  const [major = 0, minor = 0] = build.version.split('.').map((part) => Number.parseInt(part, 10));
  const first = familyOf(build).directIoSince;
  return major > first[0] || (major === first[0] && minor >= first[1]);
}
