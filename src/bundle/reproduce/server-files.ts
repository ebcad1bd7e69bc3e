import { shellQuote } from '../../lib/process/shell-quote.ts';
import { MASK } from '../../lib/secrets.ts';
import type { Recipe } from './recipes.ts';
import { oneLine } from './shell.ts';

/** Placeholders of the script's folders begin with `@MARK-`: a mark that stands nowhere in the variant's own texts. */
export function markFor({ options, data, statements, effective }: Recipe): string {
  const texts = JSON.stringify([options, data, statements, effective]);
  for (let number = 1; ; number += 1) {
    const mark = `HERE${number}`;
    if (!texts.includes(`@${mark}-`)) return mark;
  }
}

/**
 * The options of the server. Paths of the trial's own become those of the script; paths of another machine stay as comments,
 * since a server must not write to them wherever the script runs.
 */
export function optionsFile({ options }: Recipe, mark: string): string {
  const lines = options.map((option) => {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/s.exec(option) ?? [];
    if (!/^[A-Za-z][\w.-]*$/.test(name)) return `# left to you: ${oneLine(option)}`;
    if (value === undefined) return name;
    const placed = value.replaceAll('{data}', `@${mark}-DATADIR@`);
    const line = `${name} = ${/^[\w./:,+@-]*$/.test(placed) ? placed : `"${placed.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`}`;
    return isOfAnotherMachine(placed) ? `# left to you: ${oneLine(line)}` : line;
  });
  return `# The options of the run; paths of a data directory are given by the script.\n[mysqld]\n${lines.join('\n')}\n`;
}

/** An absolute path, a way out of a folder, a root of the run, a masked secret, or what no line of the file can hold. */
function isOfAnotherMachine(value: string): boolean {
  return /(?:^|[^\w@.-])\/|^\/|(?:^|[^\w.])\.\.(?:\/|$)|^~|\{\w[\w.]*\}|\*\*\*|[\u0000-\u001f]/.test(value);
}

/**
 * What stands between the script and the server: the commands that the run put before it, and the variables that the study
 * gave it. They are set by `env`, for the server alone, so that no name of theirs can meet one of the script's.
 */
export function serverScript({ prefix, env }: Recipe): string {
  const variables = Object.entries(env).filter(([name, value]) => isSettable(name, value));
  const words = [
    ...(isPlainPrefix(prefix) ? [programOf(prefix), ...prefix.slice(1)] : []),
    ...(variables.length === 0 ? [] : ['env', '--', ...variables.map(([name, value]) => `${name}=${value}`)]),
  ];
  return `exec ${[...words.map((word) => shellQuote(word)), '"$@"'].join(' \\\n  ')}\n`;
}

/** What of prefix and variables the script does not do, in words. */
export function unset({ prefix, env }: Recipe): string[] {
  const names = Object.entries(env).flatMap(([name, value]) => (isSettable(name, value) ? [] : [oneLine(name)]));
  return [
    ...(prefix.length === 0 || isPlainPrefix(prefix)
      ? []
      : [`the run put before the server: ${oneLine(prefix.map((word) => shellQuote(word)).join(' '))}`]),
    ...(names.length === 0
      ? []
      : [`variables of the server that were masked, or that \`env\` cannot set: ${names.join(', ')}`]),
  ];
}

/** A masked secret is no value; the system has no variable without a name or with an = in it. */
function isSettable(name: string, value: unknown): value is string {
  return typeof value === 'string' && value !== MASK && !/^$|[=\0]/.test(name) && !value.includes('\0');
}

/** Commands that any machine has, with numbers and options alone: none of them can be led to run another program. */
const PLAIN_PREFIXES: Readonly<Record<string, RegExp>> = {
  taskset: /^(?:-c|--cpu-list) [\d,:-]+$/,
  nice: /^-n -?\d+$/,
  numactl: /^(?:--(?:cpunodebind|physcpubind|membind|interleave|preferred)=[\w,+-]+ ?)+$/,
  prlimit: /^(?:--[a-z]+=[\d:]+ ?)+$/,
};

function isPlainPrefix(prefix: readonly string[]): boolean {
  const form = PLAIN_PREFIXES[programOf(prefix)];
  return form?.test(prefix.slice(1).join(' ')) ?? false;
}

function programOf([program = '']: readonly string[]): string {
  const name = program.replace(/^.*\//, '');
  return Object.hasOwn(PLAIN_PREFIXES, name) ? name : '';
}
