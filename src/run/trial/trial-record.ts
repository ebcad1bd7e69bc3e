import { basename, join } from 'node:path';
import { decisiveError } from '../../formats/error-log.ts';
import type { Caution, JsonValue, Moment, Outcome, Series, TrialEntry } from '../../journal/entry.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import type { Server } from '../../server/start.ts';
import { raced } from './limits.ts';
import { type Roots, rooted } from './relative-paths.ts';
import type { TrialRequest } from './trial.ts';

/** What a trial has gathered when it ends, however it ends. */
export interface Gathered {
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

export function nothingGathered(): Gathered {
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
}

/** Outcome and reason of a trial that threw; what the error brings as evidence is kept. */
export async function failureOf(error: unknown, gathered: Gathered): Promise<Failure> {
  const known = error instanceof BenchbookError ? error : null;
  for (const [name, text] of Object.entries(known?.evidence ?? {})) gathered.texts.set(name, text);
  const reason = `${sentenceOf(error)}${placeText(known)}`;
  if (known?.outcome === 'crashed') return { outcome: 'crashed', reason: withCause(reason, gathered) };
  if (known?.outcome !== undefined) return { outcome: known.outcome, reason };
  const exit = gathered.server === undefined ? null : await endedByItself(gathered.server);
  if (exit === null) return { outcome: 'failed', reason };
  const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
  return { outcome: 'crashed', reason: withCause(`the server ended by itself (${how}): ${reason}`, gathered) };
}

/** With the server's own decisive line, unless it is there. */
function withCause(reason: string, { server, texts }: Gathered): string {
  const line = decisiveError(server?.logText() ?? texts.get('error log') ?? '', 'signal');
  return line === null || reason.includes(line) ? reason : `${reason.replace(/\.$/, '')}; its log says: ${line}`;
}

/** What the kernel did to the server comes first: the rest of the reason follows from it. Known once the controls are taken back. */
export function withKernelKill(failure: Failure | null, { cautions }: Gathered): Failure | null {
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
  const soon = new Promise<null>((resolve) => setTimeout(resolve, 200, null));
  return await Promise.race([server.exited.catch(() => null), soon]);
}

/** The journal's entry, every path rewritten to its root, every big text beside it. */
export async function entryOf(
  request: TrialRequest,
  gathered: Gathered,
  failure: Failure | null,
  when: { readonly startedAt: string; readonly durationSeconds: number; readonly dataDirectory: string },
): Promise<TrialEntry> {
  const { planned } = request;
  const { startedAt, durationSeconds, dataDirectory } = when;
  const rewrite = rooted({
    ...request.roots,
    data: dataDirectory,
    'data.tmp': `${dataDirectory}.tmp`,
    ...socketRoots(gathered),
  });
  const artefacts = [];
  for (const [name, text] of gathered.texts) artefacts.push(await request.putArtefact(name, rewrite(text)));
  const plain = {
    ...(failure === null ? {} : { reason: failure.reason }),
    ...(failure === null || gathered.cells.length === 0 ? {} : { cells: gathered.cells }),
    ...(gathered.argv === undefined ? {} : { argv: gathered.argv }),
    ...(gathered.settings.length === 0 ? {} : { settings: gathered.settings }),
    ...(gathered.variables === undefined ? {} : { variables: gathered.variables }),
    ...(gathered.moments.length === 0 ? {} : { moments: gathered.moments }),
    ...(Object.keys(gathered.details).length === 0 ? {} : { details: gathered.details }),
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
    samples: gathered.samples,
    cautions: rewrite(gathered.cautions as unknown as JsonValue) as unknown as Caution[],
    artefacts,
  };
}

/** A server that is started again has another socket, whose path it prints too. */
function socketRoots({ sockets }: Gathered): Roots {
  return Object.fromEntries(
    sockets.map((socket, index) => [index === 0 ? 'socket' : `socket.${index + 1}`, join(socket, '..')]),
  );
}

/**
 * What the server says of itself, once a trial and after the measurements: listing its variables costs it some 8 MB of memory,
 * which would be measured as its own.
 */
export async function readServer(
  { effects, setup }: TrialRequest,
  gathered: Gathered,
  signal: AbortSignal,
): Promise<void> {
  const { server } = gathered;
  if (server === undefined || gathered.variables !== undefined) return;
  gathered.settings.push(...(await raced(signal, effects.readSettings(server, setup.options ?? {}))));
  gathered.variables = await raced(signal, effects.readVariables(server));
}
