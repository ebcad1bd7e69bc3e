import { createReadStream } from 'node:fs';

/** One raw line without its newline; `end` is the offset just behind its newline. */
export interface RawLine {
  readonly number: number;
  readonly bytes: Buffer;
  readonly end: number;
  /** True on a last line without a newline. */
  readonly torn: boolean;
}

/** The lines of a file as raw bytes, read in pieces, so that a long journal is never in memory twice. */
export async function* rawLines(path: string): AsyncGenerator<RawLine> {
  let pending: Buffer[] = [];
  let number = 0;
  let end = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 1 << 20 })) {
    let chunk = piece as Buffer;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a)) {
      const head = chunk.subarray(0, at);
      const bytes = pending.length === 0 ? head : Buffer.concat([...pending, head]);
      pending = [];
      number += 1;
      end += bytes.length + 1;
      yield { number, bytes, end, torn: false };
      chunk = chunk.subarray(at + 1);
    }
    if (chunk.length > 0) pending.push(chunk);
  }
  if (pending.length > 0) {
    const bytes = Buffer.concat(pending);
    yield { number: number + 1, bytes, end: end + bytes.length, torn: true };
  }
}
