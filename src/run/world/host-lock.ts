import { connect, createServer, Server } from 'node:net';
import type { Lock } from '../../journal/lock.ts';
import { BenchbookError } from '../../lib/errors.ts';

/** A socket name in the abstract namespace of Linux: one process of the machine can have it, and the kernel frees it when that process ends, however it ends. */
const NAME = 'benchbook-run';

/**
 * Makes sure that one run at a time measures on this machine: two would disturb each other. With `force` a run that goes on
 * is reported and no obstacle.
 *
 * @param holder who runs here, told to the next one: "process 123, study startup, since 12:00".
 * @param name of the lock; tests have their own.
 * @throws BenchbookError `usage` that names the run that goes on.
 */
export async function lockHost(
  holder: string,
  force: boolean,
  report: (text: string) => void,
  name = NAME,
): Promise<Lock> {
  // Elsewhere there are no abstract sockets, and a file could outlive its process.
  if (process.platform !== 'linux') return { release: async () => undefined };
  const held = await listen(name, holder);
  if (held instanceof Server) return { release: () => new Promise((resolve) => void held.close(() => resolve())) };
  if (held.code !== 'EADDRINUSE') {
    report(`whether another run measures on this machine cannot be told (${held.message})`);
    return { release: async () => undefined };
  }
  const other = await whoHolds(name);
  const sentence = `another run measures on this machine (${other}), and the two would disturb each other`;
  if (!force) throw new BenchbookError('usage', sentence, { hint: 'wait until it has ended, or use --force' });
  report(sentence);
  return { release: async () => undefined };
}

function listen(name: string, holder: string): Promise<Server | NodeJS.ErrnoException> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(holder);
      // The release waits for open connections: one that the other side leaves open must not be one.
      socket.destroySoon();
    });
    server.once('error', resolve);
    server.listen(`\0${name}`, () => {
      // It must not keep the process alive by itself.
      server.unref();
      resolve(server);
    });
  });
}

function whoHolds(name: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(`\0${name}`);
    const done = () => {
      socket.destroy();
      resolve(text === '' ? 'it does not answer' : text);
    };
    socket.setTimeout(2000, done);
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8').slice(0, 200);
    });
    socket.on('end', done);
    socket.on('error', done);
  });
}
