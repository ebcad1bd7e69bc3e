import { join } from 'node:path';
import { readTrusted, writePrivate } from '../../lib/files/private-folder.ts';
import { type FoundBuild, programWords, shortHash } from '../build.ts';
import { aloneIn } from '../process/server-environment.ts';

/** Prefixes that a server takes off a name that it does not know, one after the other. */
const PREFIX = /^(?:skip|disable|enable|maximum|loose|plugin)_/;

/**
 * The options that a server could take a name for: the option itself, else those that begin with it, else the same without
 * a special prefix. A server whose `complete` list has the name takes that option and no other.
 */
export function matchOption(name: string, known: ReadonlySet<string>, complete: boolean): readonly string[] {
  const found: string[] = [];
  for (let rest = name; rest !== ''; rest = rest.replace(PREFIX, '')) {
    if (known.has(rest)) return [...found, rest];
    const longer = [...known].filter((option) => option.startsWith(rest));
    // Plugins have options that the list does not show, so that only an exact match ends the search for certain.
    found.push(...longer);
    if ((complete && longer.length > 0) || !PREFIX.test(rest)) break;
  }
  return found;
}

const lists = new Map<string, Promise<ReadonlySet<string> | null>>();

/** The names of all options that a build knows, by its own `--verbose --help`; null where it does not tell. Kept in the cache. */
export async function optionListOf(
  build: Pick<FoundBuild, 'command' | 'defaults' | 'env' | 'executableSha256'>,
  cacheDirectory: string,
): Promise<ReadonlySet<string> | null> {
  const key = shortHash({ executable: build.executableSha256, defaults: build.defaults });
  const path = join(cacheDirectory, 'option-lists', `${key}.json`);
  let list = lists.get(path);
  if (list === undefined) {
    list = readList(path).then(async (kept) => kept ?? (await askForList(build, path)));
    lists.set(path, list);
    // What failed once is asked again.
    list.catch(() => lists.delete(path));
  }
  return await list;
}

async function readList(path: string): Promise<ReadonlySet<string> | null> {
  try {
    return new Set(JSON.parse((await readTrusted(path)) ?? '') as string[]);
  } catch {
    return null;
  }
}

/**
 * Fixed: nothing is started for a help text: it takes 0.1 s, and some seconds where a checking build runs on a busy machine. What takes this
 * long hangs, and `limits.startSeconds` is about servers that start.
 */
export const HELP_SECONDS = 120;

async function askForList(
  build: Pick<FoundBuild, 'command' | 'defaults' | 'env'>,
  path: string,
): Promise<ReadonlySet<string> | null> {
  const [program = '', ...words] = programWords(build);
  // Loaded when needed: a study that is only rendered names options too.
  const { runTool } = await import('../../lib/process/run-tool.ts');
  const { code, stdout } = await runTool(program, [...words, '--verbose', '--help'], {
    env: aloneIn(build.env),
    alone: true,
    cwd: '/',
    seconds: HELP_SECONDS,
  });
  const names = [...stdout.matchAll(/^ {2}(?:-\S, )?--([\w.-]+)/gm)].map(([, name]) => name!.replaceAll('-', '_'));
  if (code !== 0 || names.length === 0) return null;
  const list = [...new Set(names.map((name) => name.toLowerCase()))].sort();
  // A cache that cannot be written costs the next process a question, and no more.
  await writePrivate(path, JSON.stringify(list)).catch(() => undefined);
  return new Set(list);
}
