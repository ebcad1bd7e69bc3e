import { familyOf } from '../families/families.ts';
import { numberOf, sameOptionValue } from '../formats/option-value.ts';
import type { SettingRecord } from '../journal/entry.ts';
import type { Options } from '../study/types.ts';
import { isExternal } from './build.ts';
import { optionText } from './options/options.ts';
import { ownReading } from './options/own-reading.ts';
import { sameSetting, type VariableType } from './options/same-setting.ts';
import { nameFor, optionName, variablesOf } from './options/spelling.ts';
import { checkLargePages } from './process/inspect/huge-pages.ts';
import type { Server } from './start.ts';

export { newlyCounted } from './data/data-options.ts';
export { canonicalOptions } from './options/canonical-options.ts';
export { checkOptions } from './options/reserved-options.ts';

/** Reads every requested option back from the running server and says what became of it. Nothing is asked of an external server. */
export async function readSettings(server: Server, requested: Options): Promise<SettingRecord[]> {
  if (isExternal(server.build)) {
    const note = 'an external server is not configured by us';
    return Object.entries(requested).map(([name, value]) => ({
      name: optionName(name),
      requested: optionText(value),
      effective: null,
      verdict: 'not reported',
      note,
    }));
  }
  const effective = await allVariables(server);
  const described = await describedVariables(server);
  const reading = Object.entries(requested).map(async ([written, value]) => {
    const name = optionName(written).replace(/^loose_/, '');
    const given = nameFor(written, server.build);
    const found = variablesOf(given).find(({ variable }) => effective.has(variable));
    const now = found === undefined ? null : asSwitch(found.variable, effective.get(found.variable)!);
    const renamed = given === name ? [] : [`given as ${given}, its name in ${server.build.version}`];
    const about = described.get(found?.variable ?? given);
    const text = optionText(value);
    const effectiveValue = found?.inverted ? inverted(now) : now;
    return settingOf({
      name,
      text,
      now: effectiveValue,
      isSame: effectiveValue !== null && (await isSame({ given, text, now: effectiveValue, about, effective, server })),
      comment: about?.comment ?? '',
      warning: warningAbout(given, server.logText()),
      notes: renamed,
    });
  });
  return await Promise.all(
    (await Promise.all(reading)).map((each) =>
      each.name === 'large_pages' && each.effective === 'ON' ? checkLargePages(each, server.pid, effective) : each,
    ),
  );
}

/**
 * The effective variables that could explain a difference between variants: without those that hold paths, process
 * ids, names of hosts or times, which differ between any two starts.
 */
export async function readVariables(server: Server): Promise<Record<string, string>> {
  if (isExternal(server.build)) return {};
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
  /** Whether `now` means what `text` asks for. */
  readonly isSame: boolean;
  readonly comment: string;
  readonly warning: string | null;
  readonly notes: readonly string[];
}

function settingOf({ name, text, now, isSame, comment, warning, notes }: Reading): SettingRecord {
  const record = (verdict: SettingRecord['verdict'], ...more: readonly (string | null)[]): SettingRecord => {
    const note = [...notes, ...more, warning].filter((part) => part !== null).join('; ');
    return { name, requested: text, effective: now, verdict, ...(note === '' ? {} : { note }) };
  };
  if (now === null) return record(/unknown (variable|option)/i.test(warning ?? '') ? 'unknown' : 'not reported');
  if (/no effect|does nothing|unused|is ignored/i.test(comment)) return record('without effect', comment);
  if (isSame) return record('as requested');
  const malformed = /^\d+[a-z]+$/i.test(text) && numberOf(text) === null;
  return record(
    'adjusted',
    malformed ? `"${text}" is no number with one suffix; the server took what it understood` : null,
  );
}

/** The server's own line about an option, with any spelling of it, "large pages" included. */
function warningAbout(name: string, log: string): string | null {
  const pattern = new RegExp(`\\[(?:Warning|ERROR)\\].*\\b${name.replaceAll('_', '[-_ ]')}\\b.*`, 'i');
  return pattern.exec(log)?.[0]?.replace(/^\[\w+\]\s*(\[[\w-]+\]\s*)*/, '') ?? null;
}

/** `have_ssl` and its like are no switches: DISABLED is built in and off. */
function asSwitch(variable: string, value: string): string {
  if (!variable.startsWith('have_')) return value;
  return value === 'YES' ? 'ON' : 'OFF';
}

function inverted(value: string | null): string | null {
  if (value === 'ON' || value === '1') return 'OFF';
  return value === 'OFF' || value === '0' ? 'ON' : value;
}

async function allVariables(server: Server): Promise<Map<string, string>> {
  const rows = await server.sql('SHOW GLOBAL VARIABLES');
  return new Map(rows.map((row) => [String(row.Variable_name).toLowerCase(), String(row.Value)]));
}

interface AskedAndEffective {
  readonly given: string;
  readonly text: string;
  readonly now: string;
  readonly about: VariableType | undefined;
  readonly effective: ReadonlyMap<string, string>;
  readonly server: Server;
}

/** By the server's own tables of types; where those don't tell, by how the server itself reads what was asked for. */
async function isSame({ given, text, now, about, effective, server }: AskedAndEffective): Promise<boolean> {
  // The option is a file's name, and the variable says whether there is such a file.
  if (given === 'log_bin' && now === 'ON') return !/^(0|off|false)$/i.test(text);
  const oldMode = effective.get('old_mode');
  const utf8 = oldMode === undefined || /UTF8_IS_UTF8MB3/i.test(oldMode) ? 'utf8mb3' : 'utf8mb4';
  const type = about === undefined ? {} : { type: about };
  const meaning = { ...type, dataDirectory: server.dataDirectory, utf8 } as const;
  if (sameSetting(text, now, meaning)) return true;
  const isWords = about === undefined ? numberOf(now) === null : /^(SET|FLAGSET)$/.test(about.type);
  if (!isWords || server.build.command.length === 0) return false;
  const read = await ownReading(server.build, given, text);
  return read !== null && sameOptionValue(read, now);
}

interface DescribedVariable extends VariableType {
  readonly comment: string;
}

/** MariaDB describes each variable in the server itself: its type, its words, and that it is kept for compatibility only. */
async function describedVariables(server: Server): Promise<Map<string, DescribedVariable>> {
  const { describeVariables } = familyOf(server.build);
  if (describeVariables === null) return new Map();
  const rows = await server.sql(describeVariables);
  return new Map(
    rows.map(({ name, type, words, comment }) => [
      String(name).toLowerCase(),
      { type: String(type), values: words === null ? [] : String(words).split(','), comment: String(comment) },
    ]),
  );
}
