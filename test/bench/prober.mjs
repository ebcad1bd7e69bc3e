// A client of its own that asks a server again and again until it answers `SELECT 1`, and prints the moment (of the
// machine's monotonic clock, in nanoseconds). It shares no code with what it checks: `node prober.mjs FOLDER` looks for
// FOLDER/*/s and speaks the protocol itself. Each try is a new connection, so that it never waits in a queue.
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';

const [, , folder] = process.argv;

/** Handshake response 41: protocol 4.1, secure connection, user "root", no password. */
const LOGIN = packet(1, [0x00, 0x82, 0x08, 0x00, 0, 0, 0, 1, 45, ...Array(23).fill(0), ...Buffer.from('root\0'), 0]);
const QUERY = packet(0, [3, ...Buffer.from('SELECT 1')]);

function packet(sequence, bytes) {
  return Buffer.from([bytes.length & 255, (bytes.length >> 8) & 255, bytes.length >> 16, sequence, ...bytes]);
}

function socketPath() {
  for (const name of readdirSync(folder)) {
    try {
      if (readdirSync(`${folder}/${name}`).includes('s')) return `${folder}/${name}/s`;
    } catch {
      // Not a folder, or gone already.
    }
  }
  return null;
}

function attempt(path) {
  return new Promise((resolve) => {
    const socket = connect(path);
    let step = 0;
    socket.on('data', (data) => {
      const kind = data[4];
      if (kind === 0xff) return socket.destroy();
      step += 1;
      if (step === 1) socket.write(LOGIN);
      // MySQL's default plugin says "fast authentication" in a packet of its own before its OK.
      else if (step === 2 && kind === 0x00) socket.write(QUERY);
      else if (step === 2) step = 1;
      else {
        const now = process.hrtime.bigint();
        socket.destroy();
        resolve(now);
      }
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(null));
  });
}

let seen = null;
while (seen === null) {
  const path = socketPath();
  seen = path === null ? null : await attempt(path);
  if (seen === null) await new Promise((resolve) => setTimeout(resolve, 0.2));
}
process.stdout.write(String(seen));
