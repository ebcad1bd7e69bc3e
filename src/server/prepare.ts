import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { BenchbookError } from '../errors.ts';
import type { Dataset, LoadStep, Options } from '../study/types.ts';
import { type Build, shortHash } from './build.ts';
import { copyDataDirectory } from './copy.ts';
import type { ServerEnvironment } from './environment.ts';
import { upgradeSystemTables } from './initialise.ts';
import { inventoryOf, type TableInventory } from './inventory.ts';
import { fillDataset } from './load-steps.ts';
import { withLock } from './lock.ts';
import { creationOptions, optionsKey } from './options.ts';
import { pristineDirectory } from './pristine.ts';
import { workDirectory } from './registry.ts';
import { resolveBuild } from './resolve.ts';
import { startServer } from './start.ts';

/** A data set that is ready to be copied. */
export interface PreparedData {
  /** Read only: copy it, never run on it. */
  readonly directory: string;
  readonly summary: DataSummary;
}

export interface DataSummary {
  readonly name: string;
  readonly order: string;
  /** Content, build and creation-time options, as a short hash. */
  readonly key: string;
  readonly preparedBy: string;
  readonly tables: readonly TableInventory[];
  /** Filling, indexing and statistics; without the copy and the restarts. */
  readonly loadSeconds: number;
}

/** For speed only: nothing here decides how data lies in the files. */
const LOAD_OPTIONS: Options = { innodb_flush_log_at_trx_commit: 0, innodb_buffer_pool_size: '1G', local_infile: true };

/**
 * The directory that trials of a variant start from: the data set prepared for this build and its creation-time options,
 * once. Loaded, purged, slowly stopped, started and slowly stopped again, without a dump of the buffer pool.
 */
export async function prepareDataset(
  build: Build,
  dataset: Dataset,
  options: Options,
  environment: ServerEnvironment,
): Promise<PreparedData> {
  const creation = creationOptions(options);
  const origin = dataset.preparedBy === undefined ? build : await resolveBuild(dataset.preparedBy, environment);
  const key = shortHash({
    build: build.id,
    origin: origin.id,
    creation: optionsKey(creation),
    content: await contentKey(dataset),
  });
  const directory = join(environment.cacheDirectory, 'datasets', `${dataset.name}-${key}`);
  const known = await readPrepared(directory);
  if (known !== null) return known;
  return await withLock(`${directory}.lock`, environment, async () => {
    const meanwhile = await readPrepared(directory);
    if (meanwhile !== null) return meanwhile;
    const work = await workDirectory(environment.cacheDirectory);
    try {
      const data = join(work, 'data');
      const made =
        origin.id === build.id ? null : await prepareDataset(origin, withoutOrigin(dataset), options, environment);
      const summary =
        made === null
          ? await fill(build, dataset, creation, data, environment)
          : await upgrade(build, made, creation, data, dataset, environment);
      await writeFile(join(work, 'summary.json'), JSON.stringify({ ...summary, key }, null, 2));
      await mkdir(join(environment.cacheDirectory, 'datasets'), { recursive: true });
      await rename(work, directory);
    } finally {
      await rm(work, { recursive: true, force: true });
    }
    return (await readPrepared(directory))!;
  });
}

type Filled = Omit<DataSummary, 'key'>;

async function fill(
  build: Build,
  dataset: Dataset,
  creation: Options,
  data: string,
  environment: ServerEnvironment,
): Promise<Filled> {
  environment.progress(`preparing the data set ${dataset.name} for ${build.version}`);
  await copyDataDirectory(await pristineDirectory(build, creation, environment), data);
  const { tables, loadSeconds } = await session(
    build,
    { ...LOAD_OPTIONS, ...creation },
    data,
    environment,
    async (server) => {
      const start = process.hrtime.bigint();
      await fillDataset({ server, dataset, progress: environment.progress, signal: environment.signal });
      const seconds = Number(process.hrtime.bigint() - start) / 1e9;
      return { tables: await inventoryOf(server, dataset.database), loadSeconds: seconds };
    },
  );
  checkPages(dataset, tables);
  await session(build, creation, data, environment, async () => undefined);
  return { name: dataset.name, order: dataset.order, preparedBy: build.version, tables, loadSeconds };
}

/** Another build's data set, taken over: rows and leaf pages must come out as they were. */
async function upgrade(
  build: Build,
  made: PreparedData,
  creation: Options,
  data: string,
  dataset: Dataset,
  environment: ServerEnvironment,
): Promise<Filled> {
  environment.progress(`upgrading the data set ${dataset.name} of ${made.summary.preparedBy} for ${build.version}`);
  await copyDataDirectory(made.directory, data);
  await session(build, creation, data, environment, async () => undefined);
  await upgradeSystemTables(build, data, creation, environment);
  const tables = await session(build, creation, data, environment, (server) => inventoryOf(server, dataset.database));
  for (const before of made.summary.tables) {
    const after = tables.find(({ table }) => table === before.table);
    const same =
      after !== undefined &&
      after.rows === before.rows &&
      after.checksum === before.checksum &&
      after.leafPages === before.leafPages;
    if (!same) {
      const what =
        after === undefined
          ? 'is gone'
          : `has ${after.rows} rows on ${after.leafPages} leaf pages instead of ${before.rows} on ${before.leafPages}`;
      throw new BenchbookError(
        'server',
        `Data set "${dataset.name}" changed when ${build.version} took it over: table ${before.table} ${what}.`,
        { outcome: 'failed' },
      );
    }
  }
  return { ...made.summary, tables };
}

/** Starts, works, and stops slowly; the dump of the buffer pool that a stop writes is removed. */
async function session<T>(
  build: Build,
  options: Options,
  dataDirectory: string,
  environment: ServerEnvironment,
  work: (server: Awaited<ReturnType<typeof startServer>>) => Promise<T>,
): Promise<T> {
  const { cacheDirectory, signal } = environment;
  const engines = build.engines?.includes('ROCKSDB') ? {} : { engine: 'ROCKSDB' };
  const server = await startServer(build, {
    dataDirectory,
    options,
    ...engines,
    startSeconds: 300,
    cacheDirectory,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const result = await work(server);
    await server.stop('slow');
    await rm(join(dataDirectory, 'ib_buffer_pool'), { force: true });
    return result;
  } catch (error) {
    await server.stop('crash').catch(() => undefined);
    throw error;
  }
}

function checkPages(dataset: Dataset, tables: readonly TableInventory[]): void {
  for (const [table, pages] of Object.entries(dataset.leafPages)) {
    const found = tables.find((each) => each.table === table)?.leafPages ?? null;
    if (found === pages) continue;
    throw new BenchbookError(
      'server',
      `Table "${table}" of data set "${dataset.name}" came out with ${found ?? 'no known number of'} leaf pages, not ${pages}.`,
      {
        hint: 'Another insertion order, row format or page size makes another layout: a different experiment.',
        outcome: 'failed',
      },
    );
  }
}

function withoutOrigin(dataset: Dataset): Dataset {
  const { preparedBy: _, ...rest } = dataset;
  return rest;
}

async function readPrepared(directory: string): Promise<PreparedData | null> {
  const text = existsSync(join(directory, 'data'))
    ? await readFile(join(directory, 'summary.json'), 'utf8').catch(() => null)
    : null;
  return text === null ? null : { directory: join(directory, 'data'), summary: JSON.parse(text) as DataSummary };
}

/** What a data set holds, as a hash: files by their bytes, functions by their text and their first and last rows. */
export async function contentKey(dataset: Dataset): Promise<string> {
  const { database, schema, leafPages, load } = dataset;
  return shortHash({ database, schema, leafPages, load: await Promise.all(load.map(stepKey)) });
}

async function stepKey(step: LoadStep): Promise<unknown> {
  if (step.step === 'script' || step.step === 'file') {
    const bytes = await readFile(resolve(step.file)).catch(() => null);
    if (bytes === null)
      throw new BenchbookError('missing', `There is no file ${resolve(step.file)}.`, { outcome: 'failed' });
    return { ...step, file: createHash('sha256').update(bytes).digest('hex') };
  }
  if (step.step !== 'client rows') return step;
  const numbers = [...Array(Math.min(step.count, 100)).keys(), step.count - 1];
  const rows = numbers.map((n) => step.row(n).map((value) => (typeof value === 'bigint' ? `${value}n` : value)));
  return { ...step, row: step.row.toString(), rows };
}
