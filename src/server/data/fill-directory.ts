import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BenchbookError } from '../../lib/errors.ts';
import type { Dataset, Options } from '../../study/types.ts';
import type { Build, ServerEnvironment } from '../build.ts';
import { type Server, startServer } from '../start.ts';
import { copyDataDirectory } from './copy.ts';
import { checkDataDirectory } from './data-directory.ts';
import { whileMaking } from './data-options.ts';
import { inventoryOf, type TableInventory } from './inventory.ts';
import { fillDataset } from './load/load-steps.ts';
import type { DataSummary, PreparedData } from './prepared-data.ts';
import { pristineDirectory } from './pristine.ts';
import { takeOverSystemTables } from './system-tables.ts';

/** A data directory in the making. */
export interface Work {
  readonly build: Build;
  /** A storage engine that is loaded beside those compiled in. */
  readonly engine: string | undefined;
  readonly dataset: Dataset;
  readonly creation: Options;
  readonly data: string;
  readonly environment: ServerEnvironment;
}

type Filled = Omit<DataSummary, 'key'>;

/** For speed only: nothing here decides how data lies in the files. */
const LOAD_OPTIONS: Options = {
  innodb_flush_log_at_trx_commit: 0,
  innodb_buffer_pool_size: '1G',
  local_infile: true,
  // A dump holds each row as one statement at least.
  max_allowed_packet: '256M',
};

/** Loads a data set into a copy of the pristine directory, checks its pages, and starts and stops once more. */
export async function fillDirectory(work: Work): Promise<Filled> {
  const { build, dataset, creation, data, environment } = work;
  environment.progress(`preparing the data set ${dataset.name} for ${build.version}`);
  await copyDataDirectory(await pristineDirectory(build, creation, environment), data);
  const { tables, loadSeconds } = await session(work, { ...LOAD_OPTIONS, ...whileMaking(creation) }, async (server) => {
    const start = process.hrtime.bigint();
    await fillDataset({ server, dataset, progress: environment.progress, signal: environment.signal });
    const seconds = Number(process.hrtime.bigint() - start) / 1e9;
    return { tables: await inventoryOf(server, dataset.database), loadSeconds: seconds };
  });
  checkPages(dataset, tables);
  await session(work, whileMaking(creation), async () => undefined);
  return { name: dataset.name, order: dataset.order, preparedBy: build.version, tables, loadSeconds };
}

/** Another build's data set, taken over: rows and leaf pages must come out as they were. */
export async function upgradeDirectory(work: Work, made: PreparedData): Promise<Filled> {
  const { build, dataset, creation, data, environment } = work;
  environment.progress(`upgrading the data set ${dataset.name} of ${made.summary.preparedBy} for ${build.version}`);
  await copyDataDirectory(made.directory, data);
  // Before the system tables of another version are put in, while it still tells who made it.
  await checkDataDirectory(build, data);
  await takeOverSystemTables(build, await pristineDirectory(build, creation, environment), data);
  await session(work, whileMaking(creation), async () => undefined);
  const tables = await session(work, whileMaking(creation), (server) => inventoryOf(server, dataset.database));
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
async function session<T>(work: Work, options: Options, use: (server: Server) => Promise<T>): Promise<T> {
  const { build, engine, data: dataDirectory, environment } = work;
  const { cacheDirectory, signal, limits = {} } = environment;
  const server = await startServer(build, {
    dataDirectory,
    options,
    ...(engine === undefined ? {} : { engine }),
    ...limits,
    startSeconds: Math.max(300, limits.startSeconds ?? 0),
    cacheDirectory,
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const result = await use(server);
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
