import type { Options as ExecaOptions } from 'execa';
import { BenchbookError } from '../errors.ts';

export interface ToolResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a system tool in the C locale and returns its output and exit code.
 * @throws BenchbookError('missing') where the tool is not installed, ('interrupted') where the signal fires.
 */
export async function runTool(
  command: string,
  args: readonly string[],
  options: {
    readonly cwd?: string;
    /** Added to this process's environment; undefined removes a name from it. */
    readonly env?: Readonly<Record<string, string | undefined>>;
    readonly input?: string | Uint8Array;
    readonly signal?: AbortSignal | undefined;
    readonly hint?: string;
    /** With `env` as its whole environment, without this process's own. */
    readonly alone?: boolean;
    /** Ends it after this time. */
    readonly seconds?: number;
  } = {},
): Promise<ToolResult> {
  const execaOptions: ExecaOptions = {
    reject: false,
    env: { LC_ALL: 'C', ...options.env },
    extendEnv: options.alone !== true,
    stdin: options.input === undefined ? 'ignore' : 'pipe',
    maxBuffer: 256 * 1024 * 1024,
    ...(options.input === undefined ? {} : { input: options.input }),
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
    ...(options.seconds === undefined ? {} : { timeout: options.seconds * 1000, killSignal: 'SIGKILL' as const }),
  };
  // Loaded here: most commands run no tool.
  const { execa } = await import('execa');
  const result = await execa(command, [...args], execaOptions);
  if (result.isCanceled) throw new BenchbookError('interrupted', `Interrupted while ${command} was running.`);
  if (result.timedOut)
    throw new BenchbookError('server', `The program "${command}" did not end within ${options.seconds} s.`);
  if (result.code === 'ENOENT') {
    throw new BenchbookError('missing', `The program "${command}" is not installed.`, {
      ...(options.hint === undefined ? {} : { hint: options.hint }),
    });
  }
  return { code: result.exitCode ?? -1, stdout: String(result.stdout ?? ''), stderr: String(result.stderr ?? '') };
}

/** The last lines of a text, for quoting. */
export function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
