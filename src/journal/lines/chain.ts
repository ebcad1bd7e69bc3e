import { createHash } from 'node:crypto';
import { BenchbookError } from '../../lib/errors.ts';

/** The first line has no line before it: this value takes the place of that line's hash. */
export const FIRST_HASH = '0'.repeat(64);

const HEAD = '{"hash":"';
const MIDDLE = '","body":';
const BODY_OFFSET = HEAD.length + 64 + MIDDLE.length;
const HASH_PATTERN = /^[0-9a-f]{64}$/;

/** SHA-256 over the previous line's hash, a newline and the exact bytes of the body. */
function hashOf(previous: string, body: Buffer | string): string {
  return createHash('sha256').update(`${previous}\n`).update(body).digest('hex');
}

/** One journal line, newline included, and its hash. */
export function encodeLine(previous: string, body: string): { readonly line: string; readonly hash: string } {
  const hash = hashOf(previous, body);
  return { line: `${HEAD}${hash}${MIDDLE}${body}}\n`, hash };
}

/** An error that names the bad line by its number. */
export function lineError(number: number, what: string, hint?: string): BenchbookError {
  return new BenchbookError('journal', `journal.jsonl, line ${number}: ${what}`, hint === undefined ? {} : { hint });
}

/**
 * Checks one line, given without its newline, byte for byte, and returns its hash and the bytes of its body.
 * The frame is compared raw, since a JSON parser would accept other spacings and spellings of the same line.
 */
export function decodeLine(
  bytes: Buffer,
  previous: string,
  number: number,
): { readonly hash: string; readonly body: Buffer } {
  const frame = bytes.subarray(0, BODY_OFFSET).toString('latin1');
  const hash = frame.slice(HEAD.length, HEAD.length + 64);
  const framed =
    bytes.length > BODY_OFFSET + 1 &&
    frame.startsWith(HEAD) &&
    frame.endsWith(MIDDLE) &&
    HASH_PATTERN.test(hash) &&
    bytes[bytes.length - 1] === 0x7d;
  if (!framed) throw lineError(number, 'not a line of a journal: its frame has been changed');
  const body = bytes.subarray(BODY_OFFSET, bytes.length - 1);
  if (hashOf(previous, body) !== hash) {
    throw lineError(
      number,
      'its hash does not fit its content and the line before it: a byte was changed, or a line is missing, doubled or out of order',
    );
  }
  return { hash, body };
}
