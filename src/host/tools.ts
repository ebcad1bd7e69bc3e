import { constants } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Text of a file below /proc or /sys without its line end; undefined where this kernel or user has none. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch {
    return undefined;
  }
}

/** The chosen word of a kernel file such as `always [madvise] never`. */
export async function readChoice(path: string): Promise<string | undefined> {
  const text = await readText(path);
  return text?.match(/\[([^\]]+)\]/)?.[1] ?? text;
}

/** What a program prints, in the C locale; undefined where it is missing, fails, or takes over 10 s. */
export async function output(program: string, args: readonly string[]): Promise<string | undefined> {
  // Fixed: what these tools print they read from the kernel at once; one that hangs must not hold up a run for a fact about the machine.
  // Loaded late: a study names its controls, and a report that is rendered applies none.
  const { execa } = await import('execa');
  const done = await execa(program, args, {
    reject: false,
    timeout: 10_000,
    stdin: 'ignore',
    env: { LC_ALL: 'C', PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` },
  });
  return done.exitCode === 0 ? done.stdout : undefined;
}

/** What a program prints as JSON. */
export async function outputJson<T>(program: string, args: readonly string[]): Promise<T | undefined> {
  const text = await output(program, args);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** Path of the first of these programs, on the PATH and then in further directories. */
export async function findProgram(
  names: readonly string[],
  directories: readonly string[] = ['/usr/sbin', '/sbin'],
): Promise<string | undefined> {
  const places = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...directories];
  for (const name of names) {
    for (const place of places) if (await isPermitted(join(place, name), constants.X_OK)) return join(place, name);
  }
  return undefined;
}

/** Whether this process may use a path so: `constants.R_OK`, `W_OK`, `X_OK`. */
export async function isPermitted(path: string, mode: number): Promise<boolean> {
  try {
    await access(path, mode);
    return true;
  } catch {
    return false;
  }
}

export function isRoot(): boolean {
  return process.getuid?.() === 0;
}
