import { sameOptionValue } from '../formats/optionValue.ts';
import type { SettingRecord } from '../journal/entry.ts';
import type { Options } from '../study/types.ts';
import { optionName } from './options.ts';
import type { Server } from './start.ts';

/** Reads every requested option back from the running server and says what became of it. */
export async function readSettings(server: Server, requested: Options): Promise<SettingRecord[]> {
  const effective = await allVariables(server);
  const comments = await commentsOf(server);
  return Object.entries(requested).map(([key, value]) => {
    const name = optionName(key).replace(/^loose_/, '');
    const text = typeof value === 'boolean' ? (value ? 'ON' : 'OFF') : String(value);
    return settingOf({
      name,
      text,
      now: effective.get(name) ?? null,
      comment: comments.get(name) ?? '',
      log: server.logText(),
    });
  });
}

/**
 * The effective variables that could explain a difference between variants: without those that hold paths, process
 * ids, names of hosts or times, which differ between any two starts.
 */
export async function readVariables(server: Server): Promise<Record<string, string>> {
  const own = [server.dataDirectory, server.socketPath.replace(/\/s$/, '')];
  const entries = [...(await allVariables(server))].filter(
    ([name, value]) => !VOLATILE.test(name) && !value.startsWith('/') && !own.some((path) => value.includes(path)),
  );
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const VOLATILE =
  /^(hostname|pid_file|pseudo_thread_id|server_uid|server_uuid|timestamp|rand_seed\d|last_insert_id|insert_id|identity|gtid_.*|socket|report_host|innodb_version_.*|.*_dir|.*dir|datadir|(general|slow_query)_log_file|log_(bin_)?basename|log_error|error_count|warning_count|last_gtid|system_time_zone|proxy_user|external_user|in_transaction|feedback_server_uid|tmpdir|.*_file)$/;

interface Reading {
  readonly name: string;
  readonly text: string;
  readonly now: string | null;
  readonly comment: string;
  readonly log: string;
}

function settingOf({ name, text, now, comment, log }: Reading): SettingRecord {
  const warning = warningAbout(name, log);
  const note = warning === null ? {} : { note: warning };
  if (now === null) {
    const verdict = /unknown (variable|option)/i.test(warning ?? '') ? 'unknown' : 'not reported';
    return { name, requested: text, effective: null, verdict, ...note };
  }
  if (/no effect|does nothing|unused|is ignored/i.test(comment)) {
    return { name, requested: text, effective: now, verdict: 'without effect', note: warning ?? comment };
  }
  const verdict = sameOptionValue(text, now) ? 'as requested' : 'adjusted';
  return { name, requested: text, effective: now, verdict, ...note };
}

/** The server's own line about an option, with either spelling. */
function warningAbout(name: string, log: string): string | null {
  const pattern = new RegExp(`\\[(?:Warning|ERROR)\\].*\\b${name.replaceAll('_', '[-_]')}\\b.*`, 'i');
  return pattern.exec(log)?.[0]?.replace(/^\[\w+\]\s*(\[[\w-]+\]\s*)*/, '') ?? null;
}

async function allVariables(server: Server): Promise<Map<string, string>> {
  const rows = await server.sql('SHOW GLOBAL VARIABLES');
  return new Map(rows.map((row) => [String(row.Variable_name).toLowerCase(), String(row.Value)]));
}

/** MariaDB documents each variable in the server itself, also when it is kept for compatibility only. */
async function commentsOf(server: Server): Promise<Map<string, string>> {
  if (server.build.family !== 'mariadb') return new Map();
  const rows = await server.sql(
    'SELECT VARIABLE_NAME AS name, VARIABLE_COMMENT AS comment FROM information_schema.SYSTEM_VARIABLES',
  );
  return new Map(rows.map((row) => [String(row.name).toLowerCase(), String(row.comment)]));
}
