import { withTimeLimit } from '../../../lib/time-limit.ts';
import { connectionSettings, query } from '../../connection.ts';
import { createConnection } from '../client.ts';

/**
 * Both fixed: this comes on top of a limit that has run out already. A server that works answers the two statements in milliseconds, and
 * gdb holds it meanwhile.
 */
const SQL_LIMIT_MS = 3000;
const GDB_LIMIT_MS = 60_000;

/**
 * What a hanging server still shows before it is ended: process list and INNODB STATUS where it still
 * answers, the backtraces of all threads where gdb is installed. A missing part is replaced by the reason.
 */
export async function collectEvidence(server: {
  readonly pid: number;
  readonly socketPath: string;
}): Promise<Readonly<Record<string, string>>> {
  // An external server has no process and no socket here. The client library takes an empty path for localhost:3306, which
  // is somebody else's server.
  if (server.socketPath === '' || !(server.pid > 0)) return {};
  const [answers, backtrace] = await Promise.all([askServer(server.socketPath), backtraceOf(server.pid)]);
  return { ...answers, ...backtrace };
}

async function askServer(socketPath: string): Promise<Readonly<Record<string, string>>> {
  const silent = { 'process list': 'The server did not answer any more.' };
  const opening = createConnection({
    ...connectionSettings,
    socketPath,
    user: 'root',
    connectTimeout: SQL_LIMIT_MS,
  });
  const ask = async () => {
    const connection = await opening;
    connection.on('error', () => undefined);
    const processes = await query(connection, 'SHOW FULL PROCESSLIST');
    const [status] = await query(connection, 'SHOW ENGINE INNODB STATUS');
    const lines = processes.map((row) => Object.values(row).join('\t'));
    return { 'process list': lines.join('\n'), 'InnoDB status': String(status?.Status ?? '') };
  };
  try {
    return await withTimeLimit(ask(), SQL_LIMIT_MS, () => silent);
  } catch {
    return silent;
  } finally {
    opening.then(
      (connection) => connection.destroy(),
      () => undefined,
    );
  }
}

async function backtraceOf(pid: number): Promise<Readonly<Record<string, string>>> {
  const args = [
    '-p',
    String(pid),
    '-batch',
    '-nx',
    '-iex',
    'set debuginfod enabled off',
    '-ex',
    'set pagination off',
    '-ex',
    'thread apply all bt',
  ];
  const { execa } = await import('execa');
  const result = await execa('gdb', args, {
    reject: false,
    stdin: 'ignore',
    timeout: GDB_LIMIT_MS,
    forceKillAfterDelay: 2000,
    env: { LC_ALL: 'C' },
  });
  if (result.code === 'ENOENT') return { backtrace: 'gdb is not installed: no backtrace.' };
  const text = result.stdout ?? '';
  return {
    backtrace: /^Thread \d+/m.test(text)
      ? text
      : `gdb gave no backtrace: ${(result.stderr ?? '').trim().split('\n').at(-1) ?? ''}`,
  };
}
