import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const LAUNCHER = fileURLToPath(new URL('../../src/cli/benchbook.mjs', import.meta.url));

interface Result {
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command in a directory; `env` is added to this process's. */
export async function benchbook(
  cwd: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  const { exitCode, stdout, stderr } = await execa('node', [LAUNCHER, ...args], {
    cwd,
    env,
    reject: false,
    stdin: 'ignore',
  });
  return { exitCode, stdout, stderr };
}

/** The same, still running. */
export function benchbookRunning(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return execa('node', [LAUNCHER, ...args], { cwd, env, reject: false, stdin: 'ignore' });
}

/** A fresh directory with the given files. */
export async function directoryWith(files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'benchbook-cli-'));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(directory, name)), { recursive: true });
    await writeFile(join(directory, name), text);
  }
  return directory;
}
