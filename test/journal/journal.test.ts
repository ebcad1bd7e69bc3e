import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Entry } from '../../src/journal/entry.ts';
import { encodeLine, FIRST_HASH } from '../../src/journal/lines/chain.ts';
import { readJournal } from '../../src/journal/read.ts';
import { verifyJournal } from '../../src/journal/verify.ts';
import { openJournal } from '../../src/journal/write.ts';
import { noteEntry, runEntry, trialEntry } from './entries.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'benchbook-journal-'));
  path = join(folder, 'journal.jsonl');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written(entries: readonly Entry[] = [runEntry(), trialEntry(1), noteEntry('ü')]): Promise<void> {
  const journal = await openJournal(folder);
  for (const entry of entries) await journal.append(entry);
  await journal.close();
}

describe('a journal', () => {
  test('reads back what was written', async () => {
    const entries = [
      runEntry(),
      trialEntry(1),
      trialEntry(2, [0, -0.5, 1e-300, Number.MAX_SAFE_INTEGER]),
      noteEntry('ü\u2028'),
    ];
    await written(entries);
    expect((await readJournal(folder)).entries).toEqual(entries);
    expect(await verifyJournal(folder)).toMatchObject({ lines: 4 });
  });

  test('keeps the order of overlapping appends and goes on where it ended', async () => {
    await written();
    const journal = await openJournal(folder);
    expect(journal.entries).toHaveLength(3);
    await Promise.all([4, 5, 6, 7].map((n) => journal.append(noteEntry(String(n)))));
    await journal.close();
    const { entries } = await readJournal(folder);
    expect(entries.slice(3).map((entry) => entry.type === 'note' && entry.text)).toEqual(['4', '5', '6', '7']);
    await verifyJournal(folder);
  });

  test('has lines that anyone can check with a hash tool', async () => {
    await written();
    const first = (await readFile(path, 'utf8')).split('\n')[0]!;
    const { line } = encodeLine(FIRST_HASH, JSON.stringify(runEntry()));
    expect(`${first}\n`).toBe(line);
  });

  test('refuses an entry that readers would refuse, and stays whole', async () => {
    const journal = await openJournal(folder);
    await journal.append(runEntry());
    await expect(journal.append({ ...trialEntry(1), block: 1.5 })).rejects.toThrow('trial entry is malformed at block');
    await expect(journal.append(trialEntry(1, [Number.NaN]))).rejects.toThrow('not a list of numbers');
    await journal.append(trialEntry(2));
    await journal.close();
    expect(await verifyJournal(folder)).toMatchObject({ lines: 2 });
  });
});

test('a set of variables stands in the file once, and every trial reads with its own', async () => {
  const of = (block: number, variables: Record<string, string>) => ({ ...trialEntry(block), variables });
  const written = [
    runEntry(),
    of(1, { a: '1', b: 'x'.repeat(500) }),
    of(2, { a: '1', b: 'x'.repeat(500) }),
    of(3, { a: '2' }),
  ];
  const first = await openJournal(folder);
  await first.append(...written);
  await first.close();
  // A writer that goes on knows what the file holds.
  const second = await openJournal(folder);
  await second.append(of(4, { a: '2' }));
  await second.close();
  expect((await readJournal(folder)).entries).toEqual([...written, of(4, { a: '2' })]);
  const text = await readFile(join(folder, 'journal.jsonl'), 'utf8');
  expect(text.split('x'.repeat(500)).length - 1).toBe(1);
  expect(text.split('"variablesOfLine":4').length - 1).toBe(1);
});

test('variables are written once, and an entry that was refused leaves no trace of its own', async () => {
  const variables = { a: 'x'.repeat(100) };
  const journal = await openJournal(folder);
  await journal.append(runEntry());
  await expect(journal.append({ ...trialEntry(1), variables, block: 1.5 })).rejects.toThrow('malformed at block');
  await journal.append({ ...trialEntry(1), variables });
  await journal.append({ ...trialEntry(2), variables }, { ...trialEntry(3), variables });
  await journal.close();
  expect((await readFile(path, 'utf8')).split('xxxx'.repeat(25))).toHaveLength(2);
  const again = await openJournal(folder);
  await again.append({ ...trialEntry(4), variables });
  await again.close();
  const { entries } = await readJournal(folder);
  expect(entries.slice(1)).toEqual([1, 2, 3, 4].map((block) => ({ ...trialEntry(block), variables })));
});

describe('damage', () => {
  test('any changed byte anywhere is found and its line named', async () => {
    await written();
    const good = await readFile(path);
    const lineOf = (at: number) => good.subarray(0, at).toString('latin1').split('\n').length;
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const bad = Buffer.from(good);
        bad[at] = bad[at]! ^ flip;
        await writeFile(path, bad);
        // A newline changed away joins two lines: the first of them is the bad one.
        await expect(verifyJournal(folder)).rejects.toThrow(`line ${lineOf(at)}:`);
      }),
      {
        numRuns: 400,
        examples: [
          [good.length - 1, 1],
          [0, 1],
          [good.indexOf(10), 42],
        ],
      },
    );
  });

  test('a missing, doubled or swapped line is found', async () => {
    await written();
    const [first, second, third] = (await readFile(path, 'utf8')).trimEnd().split('\n');
    for (const [lines, bad] of [
      [[first, third], 2],
      [[first, second, second, third], 3],
      [[first, third, second], 2],
      [[second, third], 1],
      [[first, second], 3],
      [[], 1],
    ] as const) {
      await writeFile(path, lines.map((line) => `${line}\n`).join(''));
      await expect(verifyJournal(folder)).rejects.toThrow(lines.length === 0 ? 'line 1: missing' : `line ${bad}:`);
    }
  });

  test('lines added behind the end of a closed run are found', async () => {
    await written();
    const { head } = await readJournal(folder);
    await appendFile(path, encodeLine(head, JSON.stringify(noteEntry('forged'))).line);
    await expect(verifyJournal(folder)).rejects.toThrow('line 4: added after the run was closed');
  });

  test('a changed or missing artefact is found', async () => {
    const journal = await openJournal(folder);
    const artefact = await journal.putArtefact('error.log', 'ready for connections\n');
    await journal.append(runEntry());
    await journal.append({ ...trialEntry(1), artefacts: [artefact] });
    await journal.close();
    expect(await verifyJournal(folder)).toMatchObject({ artefacts: 1 });
    await appendFile(join(folder, artefact.path), 'x');
    await expect(verifyJournal(folder)).rejects.toThrow(
      '(error.log, named on line 2 of journal.jsonl) has been changed',
    );
    await rm(join(folder, artefact.path));
    await expect(verifyJournal(folder)).rejects.toThrow('is missing');
  });

  test('a newer format is refused by name, whatever its shape', async () => {
    await writeFile(path, encodeLine(FIRST_HASH, '{"type":"run","format":2,"new":1}').line);
    await expect(readJournal(folder)).rejects.toThrow(
      'the journal is of format 2; this version of benchbook reads formats up to 1',
    );
  });

  test.each([
    ['[1]', 'no kind of entry is called nothing'],
    ['null', 'the body is no object'],
    ['{"type":"toString"}', 'no kind of entry is called "toString"'],
    ['{"type":"note"}', 'the note entry is malformed at at'],
    ['{', 'the body is no JSON'],
    ['{"type":"note","at":"2026-01-01T00:00:00Z","event":"other","text":""}', 'the first entry is not the run'],
  ])('a well-chained line of other content is refused: %s', async (body, sentence) => {
    await writeFile(path, encodeLine(FIRST_HASH, body).line);
    await expect(readJournal(folder)).rejects.toThrow(`journal.jsonl, line 1: ${sentence}`);
  });

  test('an artefact path never leaves the run folder', async () => {
    const journal = await openJournal(folder);
    await journal.append(runEntry());
    for (const bad of ['/etc/passwd', '../x', 'logs/../../x']) {
      const artefact = { name: 'x', sha256: 'a'.repeat(64), bytes: 1, path: bad };
      await expect(journal.append({ ...trialEntry(1), artefacts: [artefact] })).rejects.toThrow(
        'is no file of the folder logs/',
      );
    }
    await journal.close();
  });
});

describe('a torn tail', () => {
  test.each([1, 40, 200])('of %i bytes: read fails, opening drops it with a note', async (length) => {
    await written();
    const { head } = await readJournal(folder);
    const { line } = encodeLine(head, JSON.stringify(trialEntry(2)));
    await appendFile(path, line.slice(0, length));
    await expect(readJournal(folder)).rejects.toThrow('line 4: torn');
    await expect(verifyJournal(folder)).rejects.toThrow('line 4: torn');
    expect(await readJournal(folder, { torn: 'drop' })).toMatchObject({ torn: true, head });
    const journal = await openJournal(folder);
    expect(journal.entries.at(-1)).toMatchObject({ type: 'note', event: 'torn tail dropped' });
    await journal.close();
    expect(await verifyJournal(folder)).toMatchObject({ lines: 4 });
  });

  test('that was a finished line is damage, not a tear', async () => {
    await written();
    const whole = await readFile(path);
    await writeFile(path, whole.subarray(0, whole.length - 1));
    await expect(openJournal(folder)).rejects.toThrow('line 3: missing');
    expect(await readFile(path)).toHaveLength(whole.length - 1);
  });

  test('on line 1 leaves an empty journal to start anew', async () => {
    await writeFile(path, '{"hash":"00');
    const journal = await openJournal(folder);
    expect(journal.entries).toEqual([]);
    await journal.append(runEntry());
    await journal.close();
    expect(await verifyJournal(folder)).toMatchObject({ lines: 1 });
  });
});
