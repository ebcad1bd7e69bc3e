import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import type { Connection } from 'mysql2/promise';
import { familyOf } from '../../../families/families.ts';
import { errorLineOf } from '../../../formats/logs/error-line.ts';
import { BenchbookError, sentenceOf } from '../../../lib/errors.ts';
import { lastLines, runTool } from '../../../lib/process/run-tool.ts';
import type { Dataset, LoadStep } from '../../../study/types.ts';
import type { Build } from '../../build.ts';
import { connectionSettings } from '../../connection.ts';
import { createConnection } from '../../process/client.ts';
import type { Server } from '../../start.ts';
import { dataFile } from './data-file.ts';
import { readable, runScript } from './load-script.ts';

interface LoadContext {
  readonly server: Server;
  readonly dataset: Dataset;
  readonly progress: (text: string) => void;
  readonly signal: AbortSignal | undefined;
}

const REPORT_EVERY_MS = 2000;

/** Makes the schema and fills it; what takes longer than two seconds tells how far it is. */
export async function fillDataset(context: LoadContext): Promise<void> {
  const { server, dataset, progress } = context;
  const connection = await createConnection({
    ...connectionSettings,
    socketPath: server.socketPath,
    user: 'root',
    multipleStatements: true,
    // Statements go as bytes: a script may hold some that are no text in any character set.
    charset: 'BINARY',
    // Otherwise the client library follows a script's SET NAMES and no longer sends bytes.
    flags: ['-SESSION_TRACK'],
  });
  const start = Date.now();
  let stage = 'making the schema';
  const report = setInterval(() => {
    progress(`data set ${dataset.name}: ${stage} (${Math.round((Date.now() - start) / 1000)} s)`);
  }, REPORT_EVERY_MS);
  try {
    await run(connection, 'SET NAMES utf8mb4 COLLATE utf8mb4_general_ci', dataset);
    await run(connection, `CREATE DATABASE IF NOT EXISTS \`${dataset.database}\``, dataset);
    await run(connection, `USE \`${dataset.database}\``, dataset);
    for (const statement of dataset.schema) await run(connection, statement, dataset);
    for (const [index, step] of dataset.load.entries()) {
      const of = `step ${index + 1} of ${dataset.load.length}`;
      stage = of;
      context.signal?.throwIfAborted();
      await perform(step, connection, { ...context, progress: (text) => (stage = `${of}, ${text}`) });
    }
  } finally {
    clearInterval(report);
    connection.destroy();
  }
}

async function perform(step: LoadStep, connection: Connection, context: LoadContext): Promise<void> {
  const { dataset } = context;
  switch (step.step) {
    case 'sql':
      for (const statement of step.statements) await run(connection, statement, dataset);
      return;
    case 'script':
      return await runScript(step.file, {
        dataset: dataset.name,
        packetBytes: await packetBytes(connection),
        send: (bytes) => connection.query(bytes),
        progress: context.progress,
        signal: context.signal,
      });
    case 'server rows':
      for (const statement of serverRows(step, context.server.build)) await run(connection, statement, dataset);
      return;
    case 'client rows': {
      const columns = step.columns.map((name) => `\`${name}\``).join(', ');
      const text = `LOAD DATA LOCAL INFILE 'rows' INTO TABLE ${step.table} CHARACTER SET utf8mb4 (${columns})`;
      return await run(connection, text, dataset, () =>
        Readable.from(chunksOf(step, context.progress), { objectMode: false }),
      );
    }
    case 'file': {
      const path = resolve(step.file);
      await dataFile(path);
      const text = `LOAD DATA LOCAL INFILE 'file' INTO TABLE ${step.table} ${step.format}`;
      return await run(connection, text, dataset, () => createReadStream(path, { highWaterMark: 1 << 20 }));
    }
    case 'command':
      return await runCommand(step, context);
  }
}

/** One INSERT … SELECT in the order of n. */
function serverRows(step: Extract<LoadStep, { step: 'server rows' }>, build: Build): readonly string[] {
  const columns = Object.keys(step.columns)
    .map((name) => `\`${name}\``)
    .join(', ');
  const values = Object.values(step.columns).join(', ');
  return familyOf(build).insertRows({ table: step.table, columns, values, count: step.count });
}

/** Rows as LOAD DATA reads them by default, in pieces of about 64 KiB. */
function* chunksOf(
  step: Extract<LoadStep, { step: 'client rows' }>,
  progress: (text: string) => void,
): Generator<Buffer> {
  let lines = '';
  for (let n = 0; n < step.count; n++) {
    const row = step.row(n);
    if (row.length !== step.columns.length) {
      throw new BenchbookError(
        'measure',
        `Row ${n} of "${step.table}" has ${row.length} values for ${step.columns.length} columns.`,
      );
    }
    lines += `${row.map(field).join('\t')}\n`;
    if (lines.length < 65_536) continue;
    progress(`${Math.floor((100 * n) / step.count)} % of ${step.table}`);
    yield Buffer.from(lines);
    lines = '';
  }
  yield Buffer.from(lines);
}

function field(value: string | number | boolean | bigint | null): string {
  if (value === null) return '\\N';
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value !== 'string') return String(value);
  return value.replace(/[\\\t\n\r\0]/g, (character) => (character === '\0' ? '\\0' : `\\${character}`));
}

async function run(connection: Connection, text: string, dataset: Dataset, infile?: () => Readable): Promise<void> {
  const sql = Buffer.from(text).toString('latin1');
  try {
    await connection.query({ sql, ...(infile === undefined ? {} : { infileStreamFactory: infile }) });
  } catch (error) {
    const start = text.replaceAll(/\s+/g, ' ').trim();
    const shown = start.length > 80 ? `${start.slice(0, 77)}…` : start;
    const why = error instanceof BenchbookError ? error.message : readable(sentenceOf(error));
    throw new BenchbookError('server', `Data set "${dataset.name}" could not be loaded: "${shown}": ${why}`, {
      outcome: 'failed',
      // A function of the study may have made the rows.
      ...(error instanceof BenchbookError && error.place !== undefined ? { place: error.place } : {}),
      cause: error,
    });
  }
}

async function packetBytes(connection: Connection): Promise<number> {
  const [rows] = await connection.query('SELECT @@max_allowed_packet');
  return Number((rows as unknown[][])[0]![0]);
}

async function runCommand({ argv, cwd }: Extract<LoadStep, { step: 'command' }>, context: LoadContext): Promise<void> {
  const { server, dataset, signal } = context;
  const values: Readonly<Record<string, string>> = {
    socket: server.socketPath,
    database: dataset.database,
    user: 'root',
  };
  const [program = '', ...args] = argv.map((argument) =>
    argument.replace(/\{(socket|database|user)\}/g, (_, name: string) => values[name]!),
  );
  const { code, stdout, stderr } = await runTool(program, args, {
    signal,
    ...(cwd === undefined ? {} : { cwd }),
    hint: `Data set "${dataset.name}" is loaded with it.`,
  });
  if (code === 0) return;
  throw new BenchbookError(
    'server',
    `Data set "${dataset.name}" could not be loaded: ${program} ended with exit code ${code}: ${errorLineOf(stderr || stdout)}`,
    {
      outcome: 'failed',
      evidence: { [program]: lastLines(`${stdout}\n${stderr}`, 100) },
    },
  );
}
