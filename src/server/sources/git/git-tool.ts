import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivate } from '../../../lib/files/private-folder.ts';
import { runTool, type ToolResult } from '../../../lib/process/run-tool.ts';
import type { ServerEnvironment } from '../../build.ts';

export type Git = (folder: string, ...args: string[]) => Promise<ToolResult>;

interface Use {
  /** Whether submodules and repositories may lie on this machine's own disk. */
  readonly local: boolean;
  readonly input?: Uint8Array;
}

const HINT = 'Install git.';

/**
 * Git with a configuration of our own: no hook, filter, alias, attribute, template or rewritten address of the user or
 * the machine changes what is checked out, and no question waits for an answer. One thing is taken over from the
 * user: which folders of other accounts git may read (`safe.directory`).
 */
export async function gitWith(environment: ServerEnvironment, { local, input }: Use): Promise<Git> {
  const config = await ownConfig(environment);
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('GIT_') || name === 'SSH_ASKPASS');
  const env = {
    ...Object.fromEntries(inherited.map((name) => [name, undefined])),
    GIT_CONFIG_GLOBAL: config,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
    GIT_ADVICE: '0',
    GIT_ALLOW_PROTOCOL: `${local ? 'file:' : ''}git:http:https:ssh`,
  };
  return (folder, ...args) =>
    runTool('git', ['-C', folder, ...args], {
      signal: environment.signal,
      hint: HINT,
      env,
      ...(input === undefined ? {} : { input }),
    });
}

async function ownConfig(environment: ServerEnvironment): Promise<string> {
  const folder = join(environment.cacheDirectory, 'git');
  await makePrivate(folder);
  const path = join(folder, 'config');
  const asked = await runTool('git', ['config', '--global', '--get-all', 'safe.directory'], { hint: HINT });
  const safe = asked.stdout.split('\n').filter((line) => line !== '');
  const lines = [
    '[core]',
    'hooksPath = /dev/null',
    'attributesFile = /dev/null',
    'excludesFile = /dev/null',
    'fsmonitor = false',
    '[fetch]',
    'recurseSubmodules = false',
    '[safe]',
    ...safe.map((directory) => `directory = "${directory.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`),
  ];
  const partial = `${path}.${process.pid}`;
  await writeFile(partial, `${lines.join('\n')}\n`, { mode: 0o600 });
  await rename(partial, path);
  return path;
}
