import type { Options, Primitive } from '../../study/types.ts';
import { shortHash } from '../build.ts';
import { nameFor, optionName, type Speaker } from './spelling.ts';

/** Options as arguments in a server's own spelling; `loose-` only where the study wrote it. */
export function optionArguments(options: Options, speaker: Speaker): readonly string[] {
  return Object.entries(options).flatMap(([written, value]) => {
    const loose = optionName(written).startsWith('loose_') ? 'loose-' : '';
    const name = nameFor(written, speaker);
    const argument = argumentOf(name, value);
    return argument === null ? [] : [`--${loose}${argument}`];
  });
}

/** The value as the server is asked for it. */
export function optionText(value: Primitive): string {
  return typeof value === 'boolean' ? (value ? 'ON' : 'OFF') : String(value);
}

/** A key for what was made with these options. */
export function optionsKey(options: Options): string {
  return shortHash(Object.fromEntries(Object.entries(options).map(([name, value]) => [optionName(name), value])));
}

/** Options whose text is a file's name, so that ON would be one: switched on by name alone, off by `skip-`. */
const NAMED_BY_TEXT = new Set(['log_bin', 'relay_log', 'log_isam', 'log_tc', 'debug']);

function argumentOf(name: string, value: Primitive): string | null {
  const dashed = name.replaceAll('_', '-');
  if (typeof value === 'boolean' && NAMED_BY_TEXT.has(name)) return value ? dashed : `skip-${dashed}`;
  // "skip-log-bin" is no variable and takes no value; "skip-name-resolve" is one and takes both.
  if (typeof value === 'boolean' && /^(skip|disable|enable)_/.test(name)) return value ? dashed : skipOff(name, dashed);
  return `${dashed}=${optionText(value)}`;
}

const SKIP_VARIABLES =
  /^skip_(name_resolve|networking|external_locking|show_database|slave_start|replica_start|replication|parallel_replication)$/;

function skipOff(name: string, dashed: string): string | null {
  return SKIP_VARIABLES.test(name) ? `${dashed}=OFF` : null;
}
