import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { copyFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { isNoSpace } from '../../host/space.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { makePrivate } from '../../lib/files/private-folder.ts';
import type { ServerEnvironment } from '../build.ts';

/**
 * Brings a file from a path or an http(s) address to `target` and checks its SHA-256; nothing is left at `target`
 * unless the whole file is there and right.
 */
export async function obtainFile(
  location: string,
  sha256: string,
  target: string,
  environment: ServerEnvironment,
): Promise<void> {
  const partial = `${target}.partial`;
  await makePrivate(dirname(target));
  try {
    if (/^https?:\/\//i.test(location)) await download(location, partial, environment);
    else await copyLocal(location, partial);
    const found = await sha256Of(partial);
    if (found !== sha256.toLowerCase()) {
      throw new BenchbookError(
        'server',
        `The checksum of ${basename(location)} is wrong: its SHA-256 is ${found}, not ${sha256}.`,
        {
          hint: 'Either the study names the wrong checksum, or this is not the file that it means.',
        },
      );
    }
    await rename(partial, target);
  } catch (error) {
    await rm(partial, { force: true });
    if (isNoSpace(error)) {
      throw new BenchbookError('server', `There is no space for ${basename(location)} below ${dirname(target)}.`, {
        hint: 'Make room there, or name another cache folder with BENCHBOOK_CACHE.',
        cause: error,
      });
    }
    throw error;
  }
}

/** The SHA-256 of a file in hex. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

async function copyLocal(location: string, target: string): Promise<void> {
  const path = resolve(location);
  const found = await stat(path).catch(() => null);
  if (found === null || !found.isFile()) throw new BenchbookError('missing', `There is no file ${path}.`);
  await copyFile(path, target);
}

async function download(address: string, target: string, environment: ServerEnvironment): Promise<void> {
  const name = basename(new URL(address).pathname) || address;
  environment.progress(`downloading ${name}`);
  const signal = environment.signal;
  const response = await fetch(address, signal === undefined ? {} : { signal }).catch((error) => {
    throw failure(name, sentenceOf((error as { cause?: unknown }).cause ?? error), error, signal);
  });
  if (!response.ok || response.body === null) {
    throw failure(name, `the server answered ${response.status} ${response.statusText}`.trim(), undefined, signal);
  }
  const expected = Number(response.headers.get('content-length') ?? Number.NaN);
  try {
    await pipeline(
      Readable.fromWeb(response.body as ReadableStream),
      createWriteStream(target),
      ...(signal === undefined ? [] : [{ signal }]),
    );
  } catch (error) {
    if (isNoSpace(error)) throw error;
    const got = (await stat(target).catch(() => null))?.size ?? 0;
    throw failure(
      name,
      `it broke off after ${got}${Number.isNaN(expected) ? '' : ` of ${expected}`} bytes`,
      error,
      signal,
    );
  }
}

function failure(name: string, why: string, cause: unknown, signal: AbortSignal | undefined): BenchbookError {
  if (signal?.aborted) return new BenchbookError('interrupted', `Interrupted while ${name} was being downloaded.`);
  return new BenchbookError('server', `${name} could not be downloaded: ${why}.`, { cause });
}
