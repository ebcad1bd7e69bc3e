import { readFile } from 'node:fs/promises';
import type { Entry, TrialEntry } from '../../journal/entry.ts';
import type { BundleFile } from '../zip.ts';
import { type Recipe, recipesOf } from './recipes.ts';
import { type DataScript, dataSql, settingsSql, timedSql } from './sql.ts';

const SCRIPT = new URL('../../../templates/bundle/reproduce.sh', import.meta.url);

/**
 * The files below `reproduce/`: a shell script that needs no Benchbook, and for each variant its my.cnf, its SQL, and what the run
 * found. None where no server was started.
 */
export async function reproduction(entries: readonly Entry[]): Promise<readonly BundleFile[]> {
  const recipes = recipesOf(entries);
  const commands = textFile('commands.txt', commandsText(entries, recipes));
  if (recipes.length === 0) return [commands];
  const script = { path: 'reproduce/reproduce.sh', bytes: await readFile(SCRIPT), executable: true };
  return [commands, script, ...recipes.flatMap((recipe) => variantFiles(recipe, entries))];
}

function variantFiles(recipe: Recipe, entries: readonly Entry[]): BundleFile[] {
  const { server, data, statements, effective } = recipe;
  const filled: DataScript | null = data === null ? null : dataSql(data, server?.family ?? 'mariadb');
  const byHand = [
    ...(filled?.byHand ?? []),
    ...recipe.others.map((text) => `measurement ${text}`),
    ...hostNotes(recipe),
  ];
  const file = (name: string, text: string) => textFile(`reproduce/variants/${recipe.name}/${name}`, text);
  const settings = effective.map((each) =>
    [each.name.replace(/^loose[_-]/, '').replaceAll('-', '_'), each.requested, each.effective ?? 'not reported']
      .map(cell)
      .join('\t'),
  );
  return [
    file('my.cnf', optionsFile(recipe)),
    file('run.sh', runFacts(recipe, entries)),
    file('settings.sql', settingsSql(effective.map(({ name }) => name))),
    file('settings.tsv', `${['name\trequested\teffective', ...settings].join('\n')}\n`),
    ...(filled === null || filled.sql === '' ? [] : [file('data.sql', filled.sql)]),
    ...Object.entries(filled?.programs ?? {}).map(([name, text]) => file(name, text)),
    ...(statements.length === 0 ? [] : [file('statements.sql', timedSql(statements))]),
    ...(byHand.length === 0 ? [] : [file('by-hand.txt', `${byHand.map((line) => `- ${line}`).join('\n')}\n`)]),
  ];
}

function hostNotes({ host, prefix }: Recipe): string[] {
  const asked =
    host === null || (typeof host === 'object' && Object.keys(host).length === 0)
      ? []
      : [`the machine as asked for: ${JSON.stringify(host)}`];
  return prefix.length === 0 || isPlainPrefix(prefix)
    ? asked
    : [...asked, `the run put before the server: ${prefix.map(quote).join(' ')}`];
}

/** Commands that any machine has and that take plain words. */
function isPlainPrefix(prefix: readonly string[]): boolean {
  return (
    /^(?:.*\/)?(?:taskset|numactl|prlimit|nice)$/.test(prefix[0] ?? '') &&
    prefix.every((word) => /^[\w@%+=:,./-]+$/.test(word))
  );
}

/** Paths of the trial's own become those of the script; another machine's stay as comments. */
function optionsFile({ options }: Recipe): string {
  const lines = options.map((option) => {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(option) ?? [];
    if (value === undefined) return name;
    const placed = value.replaceAll('{data}', '@DATADIR@');
    const line = `${name} = ${/^[\w./:,+@-]*$/.test(placed) ? placed : `"${placed.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`}`;
    return /\{\w[\w.]*\}|\*\*\*|\n/.test(placed) ? `# left to you: ${line.replaceAll('\n', ' ')}` : line;
  });
  return `# The options of the run; paths of a data directory are given by the script.\n[mysqld]\n${lines.join('\n')}\n`;
}

/** Facts of the run for the script, as assignments. */
function runFacts(recipe: Recipe, entries: readonly Entry[]): string {
  const { server, prefix, env } = recipe;
  const lines = [
    `RUN_FAMILY=${quote(server?.family ?? 'mariadb')}`,
    `RUN_VERSION=${quote(server?.version ?? 'unknown')}`,
    `RUN_SHA256=${quote(server?.executableSha256 ?? '')}`,
    `RUN_STARTUP=${quote(startupText(recipe, entries))}`,
    `prefix=${quote(isPlainPrefix(prefix) ? prefix.map((word) => word.replace(/^.*\/(?=(?:taskset|numactl|prlimit|nice)$)/, '')).join(' ') : '')}`,
    ...Object.entries(env)
      .filter(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && value !== '***')
      .map(([name, value]) => `export ${name}=${quote(String(value))}`),
  ];
  return `${lines.join('\n')}\n`;
}

/** What the run saw, for comparison: to the ready line, as the script counts. */
function startupText({ cell }: Recipe, entries: readonly Entry[]): string {
  const wanted = JSON.stringify(cell);
  const times = entries
    .filter(
      (entry): entry is TrialEntry => entry.type === 'trial' && entry.counted && JSON.stringify(entry.cell) === wanted,
    )
    .flatMap((trial) => trial.moments?.find(({ name }) => name === 'ready line')?.atSeconds ?? [])
    .sort((a, b) => a - b);
  if (times.length === 0) return 'the run kept no time of a ready line';
  const middle = (times[(times.length - 1) >> 1]! + times[times.length >> 1]!) / 2;
  const range = `${times[0]!.toFixed(4)} to ${times.at(-1)!.toFixed(4)}`;
  return `in the run: median ${middle.toFixed(4)} s, ${range} s, n=${times.length}, from the return of spawn to the ready line`;
}

function commandsText(entries: readonly Entry[], recipes: readonly Recipe[]): string {
  const run = entries.find((entry) => entry.type === 'run');
  const servers = recipes.map(
    ({ cell, argv, env }) =>
      `# ${JSON.stringify(cell)}\n${Object.entries(env)
        .map(([name, value]) => `${name}=${quote(String(value))} `)
        .join('')}${argv.map(quote).join(' \\\n  ')}\n`,
  );
  return [
    `# The run, with Benchbook ${run?.toolVersion ?? ''}\n${run?.command ?? ''}\n`,
    '# The servers, as they were started. Names in braces stand for folders: {data} is a data directory.\n',
    ...servers,
  ].join('\n');
}

function textFile(path: string, text: string): BundleFile {
  return { path, bytes: Buffer.from(text, 'utf8') };
}

function cell(text: string): string {
  return text.replace(/[\t\n\r]/g, ' ');
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
