import { statSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorLineOf } from '../../../formats/logs/error-line.ts';
import type { Caution, JsonValue } from '../../../journal/entry.ts';
import { BenchbookError } from '../../../lib/errors.ts';
import { waitForPurge, whileFlushing } from '../../../server/connection.ts';
import type { Server } from '../../../server/start.ts';
import type { TrialContext } from '../../context.ts';
import { statusCounters } from '../../probes/counters.ts';
import { runWithRusage } from '../run-with-rusage.ts';
import type { SysbenchParams } from './options.ts';
import { type SysbenchTool, scriptOf } from './tool.ts';

/** The tests of sysbench that do not change the tables. */
const READ_ONLY = /^(oltp_read_only|oltp_point_select|select_random_points|select_random_ranges)$/;

/** Options that decide what `prepare` makes: with another value, the tables are made again. */
const OF_TABLES = /^(auto_inc|create_secondary|create_table_options|mysql_storage_engine|secondary)$/;

interface State {
  /** What the tables were made for; or the study's data set brought them, and they cannot be made again here. */
  readonly tables: string | 'data set';
  readonly changed: boolean;
}

interface Preparation {
  readonly params: SysbenchParams;
  readonly tool: SysbenchTool;
  readonly server: Server;
  readonly context: TrialContext;
  /** Options of connection, tables and test. */
  readonly options: readonly string[];
}

interface Loaded {
  readonly seconds: number;
  readonly seeded: boolean;
}

/** The tables that the test needs: those of an earlier measurement of the trial, unless it changed them; otherwise new ones. */
export async function prepareTables(
  preparation: Preparation,
): Promise<{ readonly details: JsonValue; readonly cautions: readonly Caution[] }> {
  const { params, server, context } = preparation;
  const tables = keyOf(params);
  const place = placeOf(server);
  const made = tablesOfRun(context);
  const writes = params.writes ?? !READ_ONLY.test(params.test);
  const before = made.get(place) ?? (await givenTables(server));
  if (before?.tables === 'data set' || (before?.tables === tables && !before.changed)) {
    const details =
      before.tables === 'data set' ? 'tables of the data set' : 'tables of an earlier measurement, unchanged';
    const sentence =
      'An earlier measurement of the trial has changed the tables of the data set: this one met other rows.';
    const cautions = before.changed ? [{ code: 'data-changed', sentence }] : [];
    made.set(place, { ...before, changed: before.changed || writes });
    return { details, cautions };
  }
  context.progress('making the tables of sysbench');
  await server.sql('DROP DATABASE IF EXISTS sbtest');
  await server.sql('CREATE DATABASE sbtest');
  const { seconds, seeded } = await load(preparation);
  await settle(server, context);
  made.set(place, { tables, changed: writes });
  const sentence = 'This sysbench gives each trial rows of its own: its random generator could not be seeded.';
  return {
    details: { tables: params.tables, rows: params.tableSize, loadSeconds: seconds },
    cautions: seeded ? [] : [{ code: 'sysbench-rows', sentence }],
  };
}

/** The tables that the run has made, by data directory. */
function tablesOfRun({ runState }: TrialContext): Map<string, State> {
  const known = runState.get('sysbench tables') as Map<string, State> | undefined;
  const tables = known ?? new Map<string, State>();
  runState.set('sysbench tables', tables);
  return tables;
}

/** Another try of a trial may make its data directory at the same path: that is another directory. */
function placeOf({ dataDirectory }: Server): string {
  try {
    const { ino, birthtimeMs } = statSync(dataDirectory);
    return `${dataDirectory} ${ino} ${birthtimeMs}`;
  } catch {
    return dataDirectory;
  }
}

/** Tables that were there before the first sysbench of this trial. */
async function givenTables(server: Server): Promise<State | undefined> {
  const [table] = await server.sql(
    "SELECT 1 AS found FROM information_schema.tables WHERE table_schema = 'sbtest' LIMIT 1",
  );
  return table === undefined ? undefined : { tables: 'data set', changed: false };
}

function keyOf({ tables, tableSize, options, test }: SysbenchParams): string {
  const own = test.includes('/') || test.endsWith('.lua') ? test : 'oltp';
  const relevant = Object.entries(options).filter(([name]) => OF_TABLES.test(name.replaceAll('-', '_')));
  return JSON.stringify([own, tables, tableSize, relevant.sort()]);
}

/**
 * No option seeds the random generator of `prepare` in sysbench 1.0, so each trial would have other rows. This script seeds it and
 * then runs the test's own script.
 */
const seededScript = (script: string) => `
local ffi = require("ffi")
ffi.cdef[[ void srandom(unsigned int seed); void sb_rand_thread_init(void); ]]
local seeded = pcall(function() ffi.C.srandom(1); ffi.C.sb_rand_thread_init() end)
if seeded then print("rows: seeded") end
dofile(${JSON.stringify(script)})
`;

/** With one thread the rows are inserted in the order of their keys, and are the same in every run. */
async function load({ params, tool, context, options }: Preparation): Promise<Loaded> {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-sysbench-'));
  try {
    const script = join(folder, 'prepare.lua');
    await writeFile(script, seededScript(scriptOf(tool, params.test, context)));
    const { exitCode, stdout, stderr, wallSeconds } = await runWithRusage({
      argv: [...tool.command, script, ...options, '--threads=1', 'prepare'],
      env: tool.env,
      signal: context.signal,
    });
    if (exitCode === 0) return { seconds: wallSeconds, seeded: stdout.includes('rows: seeded') };
    const all = `${stdout}\n${stderr}`;
    throw new BenchbookError('measure', `sysbench could not make its tables: ${errorLineOf(all)}`, {
      evidence: { 'sysbench output': all },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Fixed: dirty pages that stay as many for so long are those that an idle server keeps making by itself. */
const STEADY_MS = 30_000;

/** Waits for purge and for dirty pages, so that background work of the load does not disturb the measurement. */
async function settle(server: Server, context: TrialContext): Promise<void> {
  // No limit here: the limit of the measurement ends the signal.
  await waitForPurge((text) => server.sql(text), server.build.family, Number.POSITIVE_INFINITY, context.signal);
  await whileFlushing(server.sql, async () => {
    let least = Number.POSITIVE_INFINITY;
    let fellAt = performance.now();
    while (performance.now() - fellAt < STEADY_MS) {
      const dirty = (await statusCounters(server.sql)).get('Innodb_buffer_pool_pages_dirty') ?? 0;
      if (dirty === 0) return;
      if (dirty < least) [least, fellAt] = [dirty, performance.now()];
      await sleep(50, undefined, { signal: context.signal });
    }
  });
}
