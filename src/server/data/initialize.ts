import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { familyOf } from '../../families/families.ts';
import { errorLineOf } from '../../formats/logs/error-line.ts';
import { decisiveError } from '../../formats/logs/error-log.ts';
import { isRefusal } from '../../formats/logs/refusal.ts';
import { isNoSpace } from '../../host/space.ts';
import { BenchbookError } from '../../lib/errors.ts';
import { lastLines, runTool } from '../../lib/process/run-tool.ts';
import type { Options } from '../../study/types.ts';
import type { FoundBuild, ServerEnvironment } from '../build.ts';
import { programWords } from '../build.ts';
import { optionListOf } from '../options/option-list.ts';
import { optionArguments } from '../options/options.ts';
import { checkOptions } from '../options/reserved-options.ts';
import { aloneIn } from '../process/server-environment.ts';

/**
 * Makes a data directory with the system tables, and root@localhost without a password: it is reachable only through a
 * socket in a private folder. MySQL since 5.7 does it itself; MariaDB and older MySQL read the SQL that they ship.
 */
export async function initialise(
  build: FoundBuild,
  dataDirectory: string,
  options: Options,
  environment: ServerEnvironment,
): Promise<void> {
  checkOptions({ options, known: await optionListOf(build, environment.cacheDirectory) });
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const script = await systemTables(build);
  const how = script === null ? ['--initialize-insecure', '--secure-file-priv='] : BOOTSTRAP;
  await runOnce(build, dataDirectory, [...optionArguments(options, build), ...how], script, environment);
  await markVersion(build, dataDirectory);
}

const BOOTSTRAP = ['--bootstrap', '--skip-networking'];

async function runOnce(
  build: FoundBuild,
  dataDirectory: string,
  options: readonly string[],
  input: string | null,
  environment: ServerEnvironment,
): Promise<void> {
  const temporary = `${dataDirectory}.tmp`;
  await mkdir(temporary, { recursive: true });
  const [program = '', ...words] = programWords(build);
  const own = [`--datadir=${dataDirectory}`, `--tmpdir=${temporary}`];
  const result = await runTool(program, [...words, ...options, ...own], {
    env: aloneIn(build.env),
    alone: true,
    ...(input === null ? {} : { input }),
    signal: environment.signal,
  });
  await rm(temporary, { recursive: true, force: true });
  if (result.code === 0) return;
  const line = decisiveError(result.stderr) ?? errorLineOf(result.stderr);
  throw new BenchbookError('server', `The server could not make a data directory: ${line}`, {
    ...hintOf(result.stderr),
    outcome: 'failed',
    repeats: isRefusal(line),
    evidence: { 'error log': lastLines(result.stderr, 200) },
  });
}

function hintOf(log: string): { readonly hint?: string } {
  if (isNoSpace(log)) return { hint: 'Make room on the file system of the cache folder.' };
  if (!/Permission denied|errno: 13\b|OS error: 13\b/i.test(log)) return {};
  const confined = existsSync('/sys/kernel/security/apparmor');
  return {
    hint: `The server may not write there${confined ? ', perhaps by its AppArmor profile' : ''}: servers.debian(…) brings one of its own.`,
  };
}

/** As the vendor's script does; it is what tells the version of a data directory. */
async function markVersion(build: FoundBuild, dataDirectory: string): Promise<void> {
  const file = familyOf(build).versionFile(build.version);
  if (file !== null) await writeFile(join(dataDirectory, file), build.version);
}

/** The SQL that makes the system tables, or null where the server makes them by itself. */
async function systemTables(build: FoundBuild): Promise<string | null> {
  const share = build.defaults.find((option) => option.startsWith('--lc-messages-dir='))?.replace(/^[^=]*=/, '');
  const parts = [
    'system_tables',
    'performance_tables',
    'system_tables_data',
    'fill_help_tables',
    'maria_add_gis_sp_bootstrap',
    'sys_schema',
  ];
  const texts: string[] = [];
  for (const part of parts) {
    const names = [`mariadb_${part}.sql`, `mysql_${part}.sql`, `${part}.sql`];
    const path =
      share === undefined ? undefined : names.map((name) => join(share, name)).find((name) => existsSync(name));
    if (path !== undefined) texts.push(await readFile(path, 'utf8'));
    else if (part === 'system_tables') {
      if (familyOf(build).createsSystemTables) return null;
      throw new BenchbookError('server', `${build.executable} comes without the SQL of its system tables.`, {
        hint: 'It should be in share/mysql or share/mariadb beside the binary.',
      });
    }
  }
  // As the vendors' own script does where the host is not known: no account for this machine's name.
  const tables = texts
    .join('\n')
    .split('\n')
    .filter((line) => !line.includes('@current_hostname'))
    .join('\n');
  return `CREATE DATABASE IF NOT EXISTS mysql;\nUSE mysql;\nSET @auth_root_socket=NULL;\n${tables}\n`;
}
