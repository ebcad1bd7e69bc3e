import { runTool } from '../../lib/process/run-tool.ts';
import type { Build } from '../build.ts';
import { programWords } from '../build.ts';
import { aloneIn } from '../process/server-environment.ts';
import { HELP_SECONDS } from './option-list.ts';

const readings = new Map<string, Promise<string | null>>();

/** No server has such a word. */
const NO_WORD = 'benchbook_no_such_word';

/**
 * How a server itself reads a word-like value of an option, as its `--verbose --help` prints it: modes that stand for
 * others, words by their number. Null where it refuses the value, or takes its default for a word that it does not know.
 */
export async function ownReading(build: Build, name: string, value: string): Promise<string | null> {
  const read = await asked(build, name, value);
  // Number 0 is the first word; any other value that reads like no word at all is none.
  if (read === null || value.trim() === '0') return read;
  return (await asked(build, name, NO_WORD)) === read ? null : read;
}

async function asked(build: Build, name: string, value: string): Promise<string | null> {
  const option = name.replaceAll('_', '-');
  const key = JSON.stringify([build.executableSha256, option, value]);
  const reading = readings.get(key) ?? ask(build, option, value);
  readings.set(key, reading);
  return await reading;
}

async function ask(build: Build, option: string, value: string): Promise<string | null> {
  const [program = '', ...words] = programWords(build);
  const { code, stdout } = await runTool(program, [...words, `--${option}=${value}`, '--verbose', '--help'], {
    env: aloneIn(build.env),
    alone: true,
    cwd: '/',
    seconds: HELP_SECONDS,
  });
  if (code !== 0) return null;
  const table = stdout.slice(Math.max(0, stdout.lastIndexOf('\nVariables (--variable-name=value)')));
  const line = table.split('\n').find((each) => each.split(/\s/, 1)[0] === option);
  return line === undefined ? null : line.slice(option.length).trim();
}
