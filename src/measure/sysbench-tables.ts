import { setTimeout as sleep } from 'node:timers/promises';
import { BenchbookError } from '../errors.ts';
import type { Caution, JsonValue } from '../journal/entry.ts';
import { waitForPurge } from '../server/purge.ts';
import type { Server } from '../server/start.ts';
import { runAccounted } from './accounted.ts';
import type { TrialContext } from './context.ts';
import { statusCounters } from './counters.ts';
import type { SysbenchParams } from './sysbench.ts';
import type { SysbenchTool } from './sysbench-tool.ts';

/** Of sysbench's own tests, those that leave the tables as they are. */
const READ_ONLY = /^(oltp_read_only|oltp_point_select|select_random_points|select_random_ranges)$/;

/** Options that decide what `prepare` makes; a difference needs new tables. */
const OF_TABLES = /^(auto_inc|create_secondary|create_table_options|mysql_storage_engine|secondary)$/;

interface State {
  readonly tables: string;
  changed: boolean;
}

/** What this process has made in the data directories of its trials. */
const made = new Map<string, State>();

interface Preparation {
  readonly params: SysbenchParams;
  readonly tool: SysbenchTool;
  readonly server: Server;
  readonly context: TrialContext;
  /** sysbench with the options of test and connection. */
  readonly argv: readonly string[];
}

/** Tables as the test wants them: those of an earlier measurement of the trial where it left them unchanged, else new ones. */
export async function prepareTables(
  preparation: Preparation,
): Promise<{ readonly details: JsonValue; readonly cautions: readonly Caution[] }> {
  const { params, server, context } = preparation;
  const tables = keyOf(params);
  const writes = params.writes ?? !READ_ONLY.test(params.test);
  const before = made.get(server.dataDirectory);
  if (before?.tables === tables && !before.changed) {
    before.changed = writes;
    return { details: 'tables of an earlier measurement, unchanged', cautions: [] };
  }
  const [schema] = await server.sql(
    "SELECT 1 AS found FROM information_schema.tables WHERE table_schema = 'sbtest' LIMIT 1",
  );
  if (schema !== undefined && before === undefined) {
    made.set(server.dataDirectory, { tables, changed: writes });
    return { details: 'tables of the data set', cautions: [] };
  }
  context.progress('making the tables of sysbench');
  await server.sql('DROP DATABASE IF EXISTS sbtest');
  await server.sql('CREATE DATABASE sbtest');
  const seconds = await load(preparation);
  await settle(server, context);
  made.set(server.dataDirectory, { tables, changed: writes });
  return { details: { tables: params.tables, rows: params.tableSize, loadSeconds: seconds }, cautions: [] };
}

function keyOf({ tables, tableSize, options, test }: SysbenchParams): string {
  const own = test.includes('/') || test.endsWith('.lua') ? test : 'oltp';
  const relevant = Object.entries(options).filter(([name]) => OF_TABLES.test(name.replaceAll('-', '_')));
  return JSON.stringify([own, tables, tableSize, relevant.sort()]);
}

/** One thread: rows come in the order of their keys, the same on every run. */
async function load({ argv, tool, context }: Preparation): Promise<number> {
  const { exitCode, stdout, stderr, wallSeconds } = await runAccounted({
    argv: [...argv, '--threads=1', '--rand-seed=1', 'prepare'],
    env: tool.env,
    signal: context.signal,
  });
  if (exitCode === 0) return wallSeconds;
  const all = `${stdout}\n${stderr}`;
  const fatal = /^FATAL: (.*)$/m.exec(all)?.[1] ?? all.trim().split('\n').at(-1) ?? '';
  throw new BenchbookError('measure', `sysbench could not make its tables: ${fatal}`, {
    evidence: { 'sysbench output': all },
  });
}

/** History purged and dirty pages written, so that no load's aftermath runs into the measurement. */
async function settle(server: Server, context: TrialContext): Promise<void> {
  await waitForPurge((text) => server.sql(text), server.build.family);
  const [limit] = await server.sql("SHOW GLOBAL VARIABLES LIKE 'innodb_max_dirty_pages_pct'");
  if (limit === undefined) return;
  await server.sql('SET GLOBAL innodb_max_dirty_pages_pct = 0');
  try {
    const end = performance.now() + 120_000;
    while (performance.now() < end) {
      if (((await statusCounters(server.sql)).get('Innodb_buffer_pool_pages_dirty') ?? 0) === 0) return;
      await sleep(50, undefined, { signal: context.signal });
    }
  } finally {
    await server.sql('SET GLOBAL innodb_max_dirty_pages_pct = ?', [Number(limit.Value)]);
  }
}
