import { basename, join } from 'node:path';
import { placeOfWords } from '../../lib/source-location.ts';
import type { OwnCode } from '../../measure/context.ts';
import type { Server } from '../../server/start.ts';
import { addressOf } from '../../server/start.ts';
import type { Study, StudyBundle } from '../../study/study.ts';
import type { Cell, Measurement } from '../../study/types.ts';
import type { CodeServer } from '../own-code-messages.ts';
import { type CodeProcess, type CodeProcessRequest, startCodeProcess } from './code-process.ts';

/** Where a study's own code runs: in processes of its own, which are killed when its time is up. */
export interface OwnCodeProcesses {
  /** Loads the study where no process stands ready: before a measurement, and under no limit of it. */
  ready(signal: AbortSignal): Promise<void>;
  /** The functions of one measurement at one cell. */
  at(cell: Cell, measurement: string, signal: AbortSignal): OwnCode;
  /** Where the measurement stands in the study, for the sentence of a limit: " (scan.study.ts:14)". */
  place(measurement: string): string;
  /** Before a server ends: closes the connections to it that measurements share. */
  release(server: Server): void;
  close(): Promise<void>;
}

export interface OwnCodeRequest extends Omit<CodeProcessRequest, 'mark' | 'bundle'> {
  readonly study: Pick<Study, 'factors'> & { readonly bundle: StudyBundle };
}

/** One process for each measurement that runs at the same time: two in a duet, else one for the whole run. */
export function ownCodeProcesses(request: OwnCodeRequest, directory: string): OwnCodeProcesses {
  const { study } = request;
  const idle: CodeProcess[] = [];
  const all = new Set<CodeProcess>();
  let count = 0;
  const start = async (signal: AbortSignal) => {
    count += 1;
    const mark = join(directory, `code-${count}`);
    const started = await startCodeProcess({ ...request, bundle: study.bundle, mark }, signal);
    all.add(started);
    return started;
  };
  const take = () => {
    for (let next = idle.pop(); next !== undefined; next = idle.pop()) {
      if (next.isAlive) return next;
      all.delete(next);
    }
    return undefined;
  };
  const use = async (signal: AbortSignal, work: (taken: CodeProcess) => Promise<unknown>) => {
    const taken = take() ?? (await start(signal));
    try {
      return await work(taken);
    } finally {
      if (taken.isAlive) idle.push(taken);
      else all.delete(taken);
    }
  };
  return {
    async ready(signal) {
      const taken = take() ?? (await start(signal));
      idle.push(taken);
    },
    at(cell, measurement, signal) {
      const place = { cell, values: replacedValues(study, cell), measurement };
      return {
        run: (server) => use(signal, (each) => each.ask({ type: 'run', place, server: codeServer(server) }, signal)),
        parse: (output) => use(signal, (each) => each.ask({ type: 'parse', place, output }, signal)),
      };
    },
    place(measurement) {
      const { file, sourceText } = study.bundle;
      const { line } = placeOfWords(file, sourceText, ['measurements', measurement]);
      return ` (${basename(file)}${line === undefined ? '' : `:${line}`})`;
    },
    release(server) {
      const { dsn, socketPath } = codeServer(server);
      for (const each of all) each.tell({ type: 'release', address: dsn ?? socketPath });
    },
    async close() {
      await Promise.all([...all].map((each) => each.kill()));
    },
  };
}

/** Whether a measurement has a function of the study's own. */
export function hasOwnCode({ run, parse, inner }: Measurement): boolean {
  return run !== undefined || parse !== undefined || (inner !== undefined && hasOwnCode(inner));
}

/** Values that the study's file does not have at that label: a server that took the place of another. */
function replacedValues(study: Pick<Study, 'factors'>, cell: Cell): Readonly<Record<string, unknown>> {
  const replaced: Record<string, unknown> = {};
  for (const { name, levels } of study.factors) {
    const value = levels.find(({ label }) => label === cell[name])?.value;
    if (typeof value === 'object' && value !== null && 'source' in value) replaced[name] = value;
  }
  return replaced;
}

function codeServer({ pid, socketPath, dataDirectory, build }: Server): CodeServer {
  return { pid, socketPath, dataDirectory, dsn: addressOf(build) };
}
