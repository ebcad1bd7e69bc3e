import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startCodeProcess } from '../../src/run/own-code/code-process.ts';

test("a process for the study's own code that does not load it in time is killed, and the sentence says so", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-own-code-'));
  try {
    const program = join(folder, 'silent.mjs');
    await writeFile(program, "process.on('message', () => undefined);");
    const bundle = { file: join(folder, 'x.study.ts'), sourceText: '', code: '', id: 'x', inputs: [], profile: null };
    const request = {
      program,
      bundle,
      mark: join(folder, 'code-1'),
      cacheDirectory: folder,
      startSeconds: 1,
    };
    const error = await startCodeProcess(request, new AbortController().signal).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      message: "the start of the process for the study's own code took longer than its limit of 1 s",
      outcome: 'timeout',
    });
    // Its record goes when it has ended.
    expect(await readdir(join(folder, 'running'))).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}, 20_000);
