import { readFile } from 'node:fs/promises';
import { familyOf } from '../../families/families.ts';
import type { Entry, TrialEntry } from '../../journal/entry.ts';
import { packageFile } from '../../lib/package-files.ts';
import { shellQuote } from '../../lib/process/shell-quote.ts';
import type { BundleFile } from '../archive/zip.ts';
import { type Recipe, recipesOf } from './recipes.ts';
import { markFor, optionsFile, serverScript, unset } from './server-files.ts';
import { oneLine } from './shell.ts';
import { type DataScript, dataSql, settingsSql, timedSql } from './sql.ts';

const SCRIPT = packageFile('templates/bundle/reproduce.sh');

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
  const mark = markFor(recipe);
  const filled: DataScript | null = data === null || server === null ? null : dataSql(data, familyOf(server), mark);
  const byHand = [
    ...(filled?.byHand ?? []),
    ...recipe.others.map((text) => `measurement ${text}`),
    ...hostNotes(recipe),
    ...unset(recipe),
  ];
  const file = (name: string, text: string) => textFile(`reproduce/variants/${recipe.name}/${name}`, text);
  const settings = effective.map((each) =>
    [each.name.replace(/^loose[_-]/, '').replaceAll('-', '_'), each.requested, each.effective ?? 'not reported']
      .map(oneLine)
      .join('\t'),
  );
  return [
    file('my.cnf', optionsFile(recipe, mark)),
    file('run.tsv', runFacts(recipe, entries, mark)),
    file('server.sh', serverScript(recipe)),
    file(
      'settings.sql',
      settingsSql(
        effective.map(({ name }) => name),
        mark,
      ),
    ),
    file('settings.tsv', `${['name\trequested\teffective', ...settings].join('\n')}\n`),
    ...(filled === null || filled.sql === '' ? [] : [file('data.sql', filled.sql)]),
    ...Object.entries(filled?.programs ?? {}).map(([name, text]) => file(name, text)),
    ...(statements.length === 0 ? [] : [file('statements.sql', timedSql(statements, mark))]),
    ...(byHand.length === 0 ? [] : [file('by-hand.txt', `${byHand.map((line) => `- ${line}`).join('\n')}\n`)]),
  ];
}

function hostNotes({ host }: Recipe): string[] {
  return host === null || (typeof host === 'object' && Object.keys(host).length === 0)
    ? []
    : [`the machine as asked for: ${JSON.stringify(host)}`];
}

/** Facts of the run for the script, which reads them line by line. */
function runFacts(recipe: Recipe, entries: readonly Entry[], mark: string): string {
  const { server } = recipe;
  const facts = {
    family: server?.family ?? 'unknown',
    version: server?.version ?? 'unknown',
    sha256: server?.executableSha256 ?? '',
    startup: startupText(recipe, entries),
    mark,
  };
  return Object.entries(facts)
    .map(([name, value]) => `${name}\t${oneLine(value)}\n`)
    .join('');
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
      `# ${JSON.stringify(cell)}\n${[...environment(env), ...argv].map((word) => shellQuote(word)).join(' \\\n  ')}\n`,
  );
  return [
    `# The run, with Benchbook ${oneLine(run?.toolVersion ?? '')}\n${run?.command ?? ''}\n`,
    '# The servers, as they were started. Names in braces stand for folders: {data} is a data directory.\n',
    ...servers,
  ].join('\n');
}

/** Names of variables may be any text, so that only `env` can set them. */
function environment(env: Recipe['env']): string[] {
  const words = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  return words.length === 0 ? [] : ['env', '--', ...words];
}

function textFile(path: string, text: string): BundleFile {
  return { path, bytes: Buffer.from(text, 'utf8') };
}
