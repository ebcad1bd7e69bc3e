import { readdir, readFile, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { benchbookRunning } from './cli.ts';

type Running = ReturnType<typeof benchbookRunning>;

/** What a running command needs so that `endsWithin` can say where it hangs. */
export const REPORTING = { NODE_OPTIONS: '--report-on-signal --report-signal=SIGUSR2 --report-compact' } as const;

/**
 * The end of a command in `folder`. One that has not ended in time is killed, and the error has its last output, the last entries of its
 * journal, the processes in its folder, and its stack and open handles by Node.js.
 */
export async function endsWithin(seconds: number, running: Running, folder: string): Promise<Awaited<Running>> {
  let output = '';
  for (const stream of [running.stdout, running.stderr]) {
    stream?.on('data', (text) => {
      output = `${output}${String(text)}`.slice(-2000);
    });
  }
  const limit = new AbortController();
  const late = sleep(seconds * 1000, null, { signal: limit.signal }).catch(() => null);
  const ended = await Promise.race([running, late]);
  limit.abort();
  if (ended !== null) return ended;
  const processes = await processesIn(folder);
  running.kill('SIGUSR2');
  await sleep(3000);
  const report = await nodeReport(folder);
  const journal = await lastEntries(folder);
  running.kill('SIGKILL');
  const state = running.exitCode === null ? 'runs on' : 'has ended, and its output is held open';
  throw new Error(
    [
      `after ${seconds} s the command ${state}`,
      `--- output ---\n${output}`,
      `--- journal ---\n${journal}`,
      `--- processes in its folder ---\n${processes}`,
      `--- Node.js ---\n${report}`,
    ].join('\n'),
  );
}

async function processesIn(folder: string): Promise<string> {
  const lines: string[] = [];
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const cwd = await readlink(`/proc/${pid}/cwd`).catch(() => '');
    const args = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
    if (!cwd.startsWith(folder) && !args.includes('/benchbook/work/')) continue;
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const wait = await readFile(`/proc/${pid}/wchan`, 'utf8').catch(() => '');
    lines.push(`${pid} ${/^State:\s+(.*)$/m.exec(status)?.[1] ?? ''} ${wait} ${args.slice(0, 200)}`);
  }
  return lines.join('\n');
}

async function nodeReport(folder: string): Promise<string> {
  const name = (await readdir(folder)).find((each) => each.startsWith('report.'));
  if (name === undefined) return 'no report';
  const { javascriptStack, libuv } = JSON.parse(await readFile(join(folder, name), 'utf8')) as {
    readonly javascriptStack: { readonly stack?: readonly string[] };
    readonly libuv: readonly Readonly<Record<string, unknown>>[];
  };
  const handles = libuv.filter((handle) => handle.is_active).map((handle) => JSON.stringify(handle).slice(0, 200));
  return [...(javascriptStack.stack ?? []), ...handles].join('\n');
}

async function lastEntries(folder: string): Promise<string> {
  const names = await readdir(join(folder, 'output'), { recursive: true }).catch(() => []);
  const journals = names.filter((name) => name.endsWith('journal.jsonl'));
  const texts = await Promise.all(journals.map((name) => readFile(join(folder, 'output', name), 'utf8')));
  const lines = texts.flatMap((text) => text.split('\n').slice(0, -1));
  return lines
    .slice(-4)
    .map((line) => {
      const { type, at, startedAt, cell, outcome, text } = (JSON.parse(line) as { body: Record<string, unknown> }).body;
      return JSON.stringify({ type, at, startedAt, cell, outcome, text });
    })
    .join('\n');
}
