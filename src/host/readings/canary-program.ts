// Run as a program by canary.ts, in a process of its own; prints one line of JSON.
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, fsyncSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const mebibyte = 2 ** 20;
const pageBytes = 16 * 1024;
const fileBytes = 64 * mebibyte;
const storageLimitSeconds = 0.5;

const directory = process.argv[2]!;
process.stdout.write(JSON.stringify({ ...timeCompute(), ...timeMemory(), ...timeStorage(directory) }));

function timeCompute(): Record<string, number> {
  // Once unmeasured, for the compiler.
  spin(2_000_000);
  const cpuSeconds = secondsOf(() => spin(60_000_000));
  const block = Buffer.alloc(32 * mebibyte, 7);
  const hashSeconds = secondsOf(() => createHash('sha256').update(block).digest());
  return { cpuSeconds, hashSeconds };
}

/** Marsaglia's xorshift (Journal of Statistical Software 8, 2003); the state is returned so that it isn't left out. */
function spin(rounds: number): number {
  let state = 2463534242;
  for (let round = 0; round < rounds; round += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
  }
  return state;
}

function timeMemory(): Record<string, number> {
  const source = Buffer.alloc(64 * mebibyte, 1);
  const target = Buffer.alloc(64 * mebibyte, 2);
  const memoryCopySeconds = secondsOf(() => {
    for (let pass = 0; pass < 4; pass += 1) source.copy(target);
  });
  const steps = 500_000;
  const next = ring(new Int32Array(target.buffer, target.byteOffset, target.length / 4));
  let at = 0;
  const walked = secondsOf(() => {
    for (let step = 0; step < steps; step += 1) at = next[at]!;
  });
  if (at < 0) throw new Error('unreachable'); // Keeps the walk from being left out.
  return { memoryCopySeconds, memoryLatencySeconds: walked / steps };
}

/** Links the cache lines to one ring in an order that no prefetcher guesses: a linear congruence of full period. */
function ring(words: Int32Array): Int32Array {
  const wordsPerLine = 16;
  const lines = words.length / wordsPerLine; // A power of two: full period by the theorem of Hull and Dobell.
  let line = 0;
  for (let count = 0; count < lines; count += 1) {
    const following = (Math.imul(line, 1664525) + 1013904223) & (lines - 1);
    words[line * wordsPerLine] = following * wordsPerLine;
    line = following;
  }
  return words;
}

function timeStorage(directory: string): Record<string, number> {
  const path = dataFile(directory);
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_DIRECT);
  } catch {
    return {}; // Not every file system reads past the page cache.
  }
  try {
    const buffer = alignedBuffer(file);
    if (!buffer) return {};
    const durations: number[] = [];
    let place = 1;
    const began = performance.now();
    while (durations.length < 2000 && performance.now() - began < storageLimitSeconds * 1000) {
      place = (Math.imul(place, 1664525) + 1013904223) >>> 0;
      const position = (place % (fileBytes / pageBytes)) * pageBytes;
      durations.push(secondsOf(() => readSync(file, buffer, 0, pageBytes, position)));
    }
    const total = durations.reduce((sum, seconds) => sum + seconds, 0);
    const storageReadSeconds = durations.sort((a, b) => a - b)[durations.length >> 1]!;
    return { storageReadSeconds, storageReadBytesPerSecond: (durations.length * pageBytes) / total };
  } finally {
    closeSync(file);
  }
}

/** Full of bytes that neither compress nor deduplicate. */
function dataFile(directory: string): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'canary-64M');
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600);
  try {
    if (fstatSync(file).size !== fileBytes) {
      const block = new Uint32Array(mebibyte / 4);
      let state = 1;
      for (let position = 0; position < fileBytes; position += mebibyte) {
        for (let index = 0; index < block.length; index += 1) {
          state ^= state << 13;
          state ^= state >>> 17;
          state ^= state << 5;
          block[index] = state;
        }
        writeSync(file, new Uint8Array(block.buffer), 0, mebibyte, position);
      }
      fsyncSync(file);
    }
  } finally {
    closeSync(file);
  }
  return path;
}

/** Direct reads need an aligned address. Node does not show addresses, so we try until the kernel accepts one. */
function alignedBuffer(file: number): Buffer | undefined {
  const memory = Buffer.allocUnsafeSlow(pageBytes + 4096);
  for (let offset = 0; offset < 4096; offset += 16) {
    const candidate = memory.subarray(offset, offset + pageBytes);
    try {
      if (readSync(file, candidate, 0, pageBytes, 0) === pageBytes) return candidate;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EINVAL') return undefined;
    }
  }
  return undefined;
}

function secondsOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return (performance.now() - began) / 1000;
}
