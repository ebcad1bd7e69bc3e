import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { access, type FileHandle, lstat, mkdir, open, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BenchbookError } from '../lib/errors.ts';
import { fileInside, writeError } from '../lib/files/below.ts';
import { takeLock } from '../lib/files/file-lock.ts';
import type { Lock } from '../lib/process/kernel-lock.ts';
import { withoutSecrets, withoutSecretValues } from '../lib/secrets.ts';
import type { Artefact, Entry, JsonValue } from './entry.ts';
import { encodeLine } from './lines/chain.ts';
import { checkEntry } from './lines/check.ts';
import type { SharedVariables } from './lines/variables.ts';
import { type ReadResult, readJournal } from './read.ts';
import { checkAgainstRunFile, readRunFile, writeRunFile } from './run-file.ts';

/** A journal open for writing. Calls may overlap: entries are written in the order of the calls. No secret is ever written. */
export interface Journal {
  readonly directory: string;
  /** The entries that it held when it was opened, with a note where an unfinished last line was dropped. */
  readonly entries: readonly Entry[];
  /** Resolves once the entries, all of them in one write, are on the disk. @throws BenchbookError `journal` (disk full, …); the journal then ends where it did. */
  append(...entries: readonly Entry[]): Promise<void>;
  /** Keeps a text beside the journal, named by its hash. */
  putArtefact(name: string, text: string): Promise<Artefact>;
  /** Head hash and number of lines as they are now. */
  state(): { readonly head: string; readonly lines: number };
  /** Writes the final `run.json` and releases the lock; a second call does nothing. */
  close(): Promise<void>;
}

/**
 * Opens the journal of a run folder for appending; creates both where they are missing. An unterminated last line is dropped, with a note.
 *
 * @throws BenchbookError `usage` where another process writes it, `journal` where it is damaged or the folder cannot be written.
 */
export async function openJournal(runDirectory: string): Promise<Journal> {
  let lock: Lock | undefined;
  let file: FileHandle | undefined;
  try {
    await makeDirectory(runDirectory);
    await makeDirectory(join(runDirectory, 'logs'));
    await refuseLink(join(runDirectory, 'logs'));
    lock = await takeLock(join(runDirectory, 'run.lock'), runDirectory);
    const path = join(runDirectory, 'journal.jsonl');
    const isNew = await access(path).then(
      () => false,
      () => true,
    );
    file = await open(path, FLAGS, 0o644);
    if (isNew) await syncDirectory(runDirectory);
    const found = await readJournal(runDirectory, { torn: 'drop' });
    const kept = await readRunFile(runDirectory);
    if (kept !== null) checkAgainstRunFile(found, kept);
    if (found.torn) await file.truncate(found.bytes);
    const journal = new Writer(runDirectory, file, lock, found);
    if (found.torn && found.entries.length > 0) await journal.noteTornTail();
    return journal;
  } catch (error) {
    await file?.close();
    await lock?.release();
    throw writeError('journal', `the run folder ${runDirectory}`, error);
  }
}

/** Opens the journal without following a link. */
const FLAGS = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;

async function refuseLink(path: string): Promise<void> {
  if (!(await lstat(path)).isSymbolicLink()) return;
  throw new BenchbookError('journal', `${path} is a symbolic link, and Benchbook does not follow it`, {
    hint: 'put the folder itself in its place',
  });
}

class Writer implements Journal {
  readonly directory: string;
  readonly entries: Entry[];
  readonly #file: FileHandle;
  readonly #lock: Lock;
  #head: string;
  #lines: number;
  #bytes: number;
  #queue: Promise<unknown> = Promise.resolve();
  #closed = false;
  #opened = false;
  readonly #shared: SharedVariables;

  constructor(directory: string, file: FileHandle, lock: Lock, found: ReadResult) {
    this.directory = directory;
    this.entries = found.entries;
    this.#file = file;
    this.#lock = lock;
    this.#head = found.head;
    this.#lines = found.hashes.length;
    this.#bytes = found.bytes;
    this.#shared = found.shared;
  }

  append(...entries: readonly Entry[]): Promise<void> {
    const done = this.#queue.then(() => this.#write(entries));
    this.#queue = done.catch(() => undefined);
    return done;
  }

  async putArtefact(name: string, text: string): Promise<Artefact> {
    const bytes = Buffer.from(withoutSecrets(text), 'utf8');
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const path = `logs/${sha256}.txt`;
    try {
      if ((await fileInside(this.directory, path)) === null)
        await this.#writeArtefact(join(this.directory, path), bytes);
    } catch (error) {
      throw writeError('journal', `the run folder ${this.directory}`, error);
    }
    return { name, sha256, bytes: bytes.length, path };
  }

  async #writeArtefact(path: string, bytes: Buffer): Promise<void> {
    const unfinished = `${path}.${randomBytes(4).toString('hex')}`;
    await writeFile(unfinished, bytes, { flush: true, flag: 'wx' });
    await rename(unfinished, path);
  }

  state() {
    return { head: this.#head, lines: this.#lines };
  }

  async noteTornTail(): Promise<void> {
    const note: Entry = {
      type: 'note',
      at: new Date().toISOString(),
      event: 'torn tail dropped',
      text: `line ${this.#lines + 1} was not finished when the run before was cut off; it was dropped`,
    };
    await this.append(note);
    this.entries.push(note);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#queue;
    this.#closed = true;
    try {
      await this.#file.close();
      if (this.#lines > 0) await writeRunFile(this.directory, { ...this.state(), state: 'closed' }, true);
    } catch (error) {
      throw writeError('journal', `the run folder ${this.directory}`, error);
    } finally {
      await this.#lock.release();
    }
  }

  async #write(entries: readonly Entry[]): Promise<void> {
    if (this.#closed) throw new BenchbookError('journal', 'an entry came after the journal was closed');
    try {
      const { bytes, head } = this.#encoded(entries);
      // Write run.json before the first line of this session: from here on the journal may be ahead of it.
      if (!this.#opened) await this.#record('open');
      this.#opened = true;
      await this.#appendBytes(bytes);
      this.#head = head;
      this.#lines += entries.length;
      this.#bytes += bytes.length;
    } catch (error) {
      this.#shared.forgetFrom(this.#lines + 1);
      throw error;
    }
    await this.#record('open');
  }

  #encoded(entries: readonly Entry[]): { readonly bytes: Buffer; readonly head: string } {
    let head = this.#head;
    let text = '';
    for (const [index, whole] of entries.entries()) {
      const entry = withoutSecretValues(whole as unknown as JsonValue) as unknown as Entry;
      const body = JSON.stringify(this.#shared.shorten(entry, this.#lines + index + 1));
      const checked = checkEntry(JSON.parse(body));
      if ('wrong' in checked) throw new BenchbookError('journal', `an entry was refused: ${checked.wrong}`);
      const { line, hash } = encodeLine(head, body);
      text += line;
      head = hash;
    }
    return { bytes: Buffer.from(text, 'utf8'), head };
  }

  async #appendBytes(bytes: Buffer): Promise<void> {
    try {
      await this.#file.appendFile(bytes);
      await this.#file.datasync();
    } catch (error) {
      // Remove the part that was written: a later reader would take half a line for the end of a killed run.
      await this.#file.truncate(this.#bytes).catch(() => undefined);
      throw writeError('journal', `the run folder ${this.directory}`, error);
    }
  }

  /** A run.json that cannot be written loses nothing: the journal is ahead of it, and `close` tries again. */
  async #record(state: 'open'): Promise<void> {
    await writeRunFile(this.directory, { ...this.state(), state }, false).catch(() => undefined);
  }
}

/** Node.js reports ENOENT for a parent folder that cannot be written. A look at the folder gives the real reason. */
async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true });
  } catch (error) {
    for (let parent = dirname(path); ; parent = dirname(parent)) {
      const refused = await access(parent, constants.W_OK).then(
        () => null,
        (cause: NodeJS.ErrnoException) => cause,
      );
      if (refused?.code === 'ENOENT' && parent !== dirname(parent)) continue;
      throw refused ?? error;
    }
  }
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  await directory.sync().finally(() => directory.close());
}
