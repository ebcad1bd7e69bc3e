import type { Connection } from 'mysql2/promise';
import * as api from '../index.ts';
import { BenchbookError, type Place, sentenceOf } from '../lib/errors.ts';
import { placeInStack, placeOfWords } from '../lib/source-location.ts';
import type { CodePlace, CodeServer, FromCode, ToCode } from '../run/own-code-messages.ts';
import { connect, isLost, STATEMENT_SECONDS, sqlOver } from '../server/connection.ts';
import { openExternal } from '../server/start.ts';
import { studyOfBundle } from '../study/load.ts';
import type { Study } from '../study/study.ts';
import type { CustomServer, Measurement, SqlConnection } from '../study/types.ts';

// The process that runs the functions of a study's measurements. It is killed when their time is up, and ends with its parent.

process.setSourceMapsEnabled(true);
// The frame of the study stands below those of the client library.
Error.stackTraceLimit = 100;

let study: Study | undefined;
let isBusy = false;
/** The connection that measurements share, by the server's socket or address, as long as the server runs. */
const shared = new Map<string, Promise<Connection>>();

process.on('message', (message: ToCode) => void answer(message));
process.on('disconnect', () => process.exit(1));
process.stdout.on('error', () => undefined);
process.stderr.on('error', () => undefined);
process.on('uncaughtException', (thrown) => {
  if (isBusy) return send({ type: 'threw', error: { ...errorOf(thrown), isStray: true } }, () => process.exit(1));
  const { line } = placeOf(thrown);
  const where = `${study?.file ?? ''}${line === undefined ? '' : `:${line}`}`;
  process.stderr.write(
    `benchbook: ${where}: the study's own code threw after it had returned: ${sentenceOf(thrown)}\n`,
  );
  process.exit(1);
});

async function answer(message: ToCode): Promise<void> {
  if (message.type === 'release') return release(message.address);
  isBusy = true;
  try {
    const value = await perform(message);
    isBusy = false;
    send({ type: 'done', value });
  } catch (thrown) {
    isBusy = false;
    send({ type: 'threw', error: errorOf(thrown, message.type === 'load' ? undefined : message.place) });
  }
}

async function perform(message: Exclude<ToCode, { type: 'release' }>): Promise<unknown> {
  if (message.type === 'load') {
    study = await studyOfBundle(message.bundle, api);
    return null;
  }
  const measurement = measurementAt(message.place);
  if (message.type === 'parse') return measurement.parse!(message.output);
  const value = await measurement.run!(await serverOf(message.server), measurement.params as never);
  try {
    return structuredClone(value);
  } catch {
    throw new Error('it returned what is neither a number nor a list of numbers');
  }
}

/** The measurement of that name which has a function of its own, as the study makes it for the cell. */
function measurementAt({ cell, values, measurement }: CodePlace): Measurement {
  const all: Record<string, unknown> = {};
  for (const { name, levels } of study!.factors) {
    if (cell[name] === undefined) continue;
    all[name] = Object.hasOwn(values, name) ? values[name] : levels.find(({ label }) => label === cell[name])?.value;
  }
  let found = study!.measurements(all)[measurement];
  while (found?.inner !== undefined) found = found.inner;
  if (found === undefined) throw new Error(`the study has no measurement "${measurement}"`);
  return found;
}

async function serverOf({ pid, socketPath, dataDirectory, dsn }: CodeServer): Promise<CustomServer> {
  const open = async () => {
    const connection = dsn === null ? await connect({ socketPath }) : await openExternal(dsn);
    connection.on('error', () => undefined);
    return connection;
  };
  const key = dsn ?? socketPath;
  const known = shared.get(key) ?? open();
  shared.set(key, known);
  known.catch(() => shared.delete(key));
  const settings = dsn === null ? { limitSeconds: STATEMENT_SECONDS } : {};
  const further = async (): Promise<SqlConnection> => {
    const another = await open();
    return { sql: sqlOver(another, settings), close: () => another.end() };
  };
  return { pid, socketPath, dataDirectory, sql: sqlOver(await known, settings), connect: further };
}

function release(address: string): void {
  void shared
    .get(address)
    ?.then((connection) => connection.destroy())
    .catch(() => undefined);
  shared.delete(address);
}

function errorOf(thrown: unknown, place?: CodePlace) {
  const ours = thrown instanceof BenchbookError ? thrown : null;
  return {
    message: sentenceOf(thrown),
    isLost: isLost(thrown),
    isOurs: ours !== null,
    outcome: ours?.outcome,
    hint: ours?.hint,
    place: placeOf(thrown, place),
  };
}

function placeOf(thrown: unknown, place?: CodePlace): Place {
  if (study === undefined) return thrown instanceof BenchbookError ? (thrown.place ?? { file: '' }) : { file: '' };
  for (let each = thrown; each instanceof Error; each = each.cause) {
    const found = placeInStack(each, study.file);
    if (found.line !== undefined) return found;
  }
  return placeOfWords(study.file, study.sourceText, place === undefined ? [] : [place.measurement]);
}

function send(message: FromCode, after?: () => void): void {
  process.send!(message, after ?? (() => undefined));
}
