import { connect, createServer } from 'node:net';

/** A lock that this process holds until it releases it. */
export interface Lock {
  release(): Promise<void>;
}

/**
 * Takes a name in the abstract socket namespace of Linux. One process of the machine can have it, and the kernel frees it when
 * that process ends, however it ends. So it suits a lock that must not outlive its process.
 *
 * @param greeting the text that `holderOfName` returns in another process.
 * @returns 'taken' where another process has the name; an Error where the system has no such sockets.
 */
export function takeName(name: string, greeting = ''): Promise<Lock | 'taken' | Error> {
  return new Promise((resolve) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end(greeting);
      // A release waits for open connections, so one that the other side leaves open is closed here.
      socket.destroySoon();
    });
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EADDRINUSE' ? 'taken' : error));
    server.listen(`\0${name}`, () => {
      // The lock alone must not keep the process alive.
      server.unref();
      resolve({ release: () => new Promise((closed) => void server.close(() => closed())) });
    });
  });
}

/** How long to wait for the greeting of a process that may be stopped. */
const ANSWER_MS = 2000;
const MOST_CHARACTERS = 200;

/** The greeting of the process that has a name; empty where it does not answer. */
export function holderOfName(name: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(`\0${name}`);
    const done = () => {
      socket.destroy();
      resolve(text);
    };
    socket.setTimeout(ANSWER_MS, done);
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8').slice(0, MOST_CHARACTERS);
    });
    socket.on('end', done);
    socket.on('error', done);
  });
}
