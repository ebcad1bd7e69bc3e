import { basename, join } from 'node:path';
import { decisiveError } from '../../formats/logs/error-log.ts';
import type { Caution, JsonValue, Moment, Outcome, ReasonCode, Series, TrialEntry } from '../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { withTimeLimit } from '../../lib/time-limit.ts';
import type { Server } from '../../server/start.ts';
import { deadline } from './limits.ts';
import { type Roots, relativizePaths } from './relative-paths.ts';
import type { TrialRequest } from './trial-request.ts';

/** What a trial has collected so far. The journal's entry is made of it, however the trial ends. */
export interface TrialRecord {
  server: Server | undefined;
  argv: readonly string[] | undefined;
  readonly settings: NonNullable<TrialEntry['settings']>[number][];
  variables: TrialEntry['variables'];
  readonly samples: Series[];
  /** Levels of within factors that did not end ok. */
  readonly cells: NonNullable<TrialEntry['cells']>[number][];
  /** What the first of them threw. */
  levelError: { readonly error: unknown } | null;
  readonly cautions: Caution[];
  moments: Moment[];
  readonly details: Record<string, JsonValue>;
  readonly texts: Map<string, string>;
  /** Of every server that was started. */
  readonly pids: number[];
  /** Of the same, in the order started. */
  readonly sockets: string[];
  /** Work that may go on although its time is up, and then still write into the data directory. */
  readonly begun: Promise<unknown>[];
}

export function emptyRecord(): TrialRecord {
  return {
    server: undefined,
    argv: undefined,
    settings: [],
    variables: undefined,
    samples: [],
    cells: [],
    levelError: null,
    cautions: [],
    moments: [],
    details: {},
    texts: new Map(),
    pids: [],
    sockets: [],
    begun: [],
  };
}

export interface Failure {
  readonly outcome: Outcome;
  readonly reason: string;
  readonly reasonCode?: ReasonCode;
}

/** Outcome and reason of a trial that threw; what the error brings as evidence is kept. */
export async function failureOf(error: unknown, record: TrialRecord): Promise<Failure> {
  const known = error instanceof BenchbookError ? error : null;
  for (const [name, text] of Object.entries(known?.evidence ?? {})) record.texts.set(name, text);
  const reason = `${sentenceOf(error)}${placeText(known)}`;
  if (known?.outcome === 'crashed') return { outcome: 'crashed', reason: withCause(reason, record) };
  // A measurement or a control that skips a trial says that something is not supported here.
  if (known?.outcome === 'skipped') return { outcome: 'skipped', reason, reasonCode: 'unsupported' };
  if (known?.outcome === 'failed' && known.repeats) return { outcome: 'failed', reason, reasonCode: 'options-refused' };
  if (known?.outcome !== undefined) return { outcome: known.outcome, reason };
  const exit = record.server === undefined ? null : await endedByItself(record.server);
  if (exit === null) return { outcome: 'failed', reason };
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return { outcome: 'crashed', reason: withCause(`the server ended by itself (${how}): ${reason}`, record) };
}

/** Adds the server's own decisive line, unless the reason holds it already. */
function withCause(reason: string, { server, texts }: TrialRecord): string {
  const line = decisiveError(server?.logText() ?? texts.get('error log') ?? '', 'signal');
  return line === null || reason.includes(line) ? reason : `${reason.replace(/\.$/, '')}; its log says: ${line}`;
}

/** Puts a kill by the kernel first, because the rest of the reason follows from it. It is known after the controls are taken back. */
export function withKernelKill(failure: Failure | null, { cautions }: TrialRecord): Failure | null {
  const kill = cautions.find(({ code }) => code === 'oom-kill');
  if (failure === null || kill === undefined) return failure;
  const first = kill.sentence.replace(/\.$/, '').replace(/^K/, 'k');
  return { outcome: 'crashed', reason: `${first}. What followed: ${failure.reason}` };
}

/** Where in the study it was, without a folder of this machine. */
function placeText(error: BenchbookError | null): string {
  const { file, line } = error?.place ?? {};
  return file === undefined || file === '' ? '' : ` (${basename(file)}${line === undefined ? '' : `:${line}`})`;
}

/** A connection is lost some milliseconds before the exit is known. */
async function endedByItself(server: Server) {
  const exit = server.exited.catch(() => null);
  return await withTimeLimit(exit, 200, () => null);
}

/** The journal's entry, every path rewritten to its root, every big text beside it. */
export async function entryOf(
  request: TrialRequest,
  record: TrialRecord,
  failure: Failure | null,
  when: { readonly startedAt: string; readonly durationSeconds: number; readonly dataDirectory: string },
): Promise<TrialEntry> {
  const { planned } = request;
  const { startedAt, durationSeconds, dataDirectory } = when;
  const rewrite = relativizePaths({
    ...request.roots,
    data: dataDirectory,
    'data.tmp': `${dataDirectory}.tmp`,
    ...socketRoots(record),
  });
  const artefacts = [];
  for (const [name, text] of record.texts) artefacts.push(await request.putArtefact(name, rewrite(text)));
  const plain = {
    ...(failure === null ? {} : { reason: failure.reason }),
    ...(failure?.reasonCode === undefined ? {} : { reasonCode: failure.reasonCode }),
    ...(failure === null || record.cells.length === 0 ? {} : { cells: record.cells }),
    ...(record.argv === undefined ? {} : { argv: record.argv }),
    ...(record.settings.length === 0 ? {} : { settings: record.settings }),
    ...(record.variables === undefined ? {} : { variables: record.variables }),
    ...(record.moments.length === 0 ? {} : { moments: record.moments }),
    ...(Object.keys(record.details).length === 0 ? {} : { details: record.details }),
  };
  return {
    type: 'trial',
    trialId: planned.trialId,
    variantId: planned.variant.id,
    cell: planned.variant.cell,
    block: planned.block,
    position: planned.position,
    startedAt,
    durationSeconds,
    counted: request.counted,
    outcome: failure?.outcome ?? 'ok',
    buildId: request.build.id,
    ...(rewrite(plain as unknown as JsonValue) as unknown as typeof plain),
    samples: record.samples,
    cautions: rewrite(record.cautions as unknown as JsonValue) as unknown as Caution[],
    artefacts,
  };
}

/** A server that is started again has another socket, whose path it prints too. */
function socketRoots({ sockets }: TrialRecord): Roots {
  return Object.fromEntries(
    sockets.map((socket, index) => [index === 0 ? 'socket' : `socket.${index + 1}`, join(socket, '..')]),
  );
}

/**
 * What the server says of itself, once a trial and after the measurements: listing its variables costs it some 8 MB of memory,
 * which would be measured as its own.
 */
export async function readServer(
  { effects, setup, policy }: TrialRequest,
  record: TrialRecord,
  signal: AbortSignal,
): Promise<void> {
  const { server } = record;
  if (server === undefined || record.variables !== undefined) return;
  // No measurement limits it: a server that a measurement has left hanging would keep the trial for hours.
  const limit = deadline(signal, policy.startSeconds, "reading the server's settings");
  try {
    record.settings.push(...(await limit.race(effects.readSettings(server, setup.options ?? {}))));
    record.variables = await limit.race(effects.readVariables(server));
  } finally {
    limit.clear();
  }
}
