import escapeRegExp from 'escape-string-regexp';
import type { Artefact, Entry, JsonValue, NoteEntry, RunEntry } from '../../journal/entry.ts';
import { parseJsonFile } from '../../journal/json.ts';
import type { ReadResult } from '../../journal/read.ts';
import { openJournal } from '../../journal/write.ts';
import { readInside, writeInside } from '../../lib/files/below.ts';
import { MASK, withoutSecrets, withoutSecretValues } from '../../lib/secrets.ts';
import { findNames, type PrivateNames } from './private-names.ts';
import { type Redactor, redactor } from './redactor.ts';
import { wordsOf } from './words.ts';

/** What a redacted copy holds in place of names. */
export interface Redaction {
  readonly replacements: ReturnType<Redactor['replacements']>;
  /** Head hash of the journal that was copied. */
  readonly head: string;
  /** Sentences for the person who makes the copy; they hold names, so the copy has none of them. */
  readonly warnings: readonly string[];
}

const TEXTS = ['study.ts', 'draft.json'];

/**
 * Copies journal, logs, study and prose of a run into an empty folder without private names, the journal chained anew. Secrets
 * never stay; names, addresses and paths go where `names` is asked for.
 *
 * @param from the run folder, whose journal has been read and checked
 * @param own names of this machine; found where absent.
 */
export async function copyRedacted(
  { entries, head }: Pick<ReadResult, 'entries' | 'head'>,
  from: string,
  to: string,
  names: boolean,
  own?: PrivateNames,
): Promise<Redaction> {
  const texts = new Map<string, string>();
  for (const name of TEXTS) {
    const text = await readInside(from, name);
    if (text !== null) texts.set(name, text.toString('utf8'));
  }
  const logs = new Map<string, string>();
  for (const { path } of artefactsOf(entries)) {
    const text = await readInside(from, path);
    if (text !== null) logs.set(path, text.toString('utf8'));
  }
  const all = [JSON.stringify(entries), ...texts.values(), ...logs.values()];
  const secrets = new Set<string>();
  withoutSecretValues(entries as unknown as JsonValue, (secret) => void secrets.add(secret));
  for (const text of [...texts.values(), ...logs.values()]) withoutSecrets(text, (secret) => void secrets.add(secret));
  const found = names ? findNames(eachText(entries, texts, logs), own) : NOTHING;
  const kept = wordsOf(entries as unknown as JsonValue[]);
  const redact = names ? redactor(found, kept, secrets) : secretsOnly(secrets);
  const journal = await openJournal(to);
  try {
    const copied: Entry[] = [];
    for (const entry of entries) {
      const copy = redact.json(entry as unknown as JsonValue) as unknown as Entry;
      if (copy.type !== 'trial') copied.push(copy);
      else {
        const artefacts: Artefact[] = [];
        for (const { name, path } of copy.artefacts) {
          const text = logs.get(path);
          if (text !== undefined) artefacts.push(await journal.putArtefact(name, redact.text(text)));
        }
        copied.push({ ...copy, artefacts });
      }
    }
    for (const [name, text] of texts) await writeInside(to, name, redactText(name, text, redact));
    const at = copied.findLast((entry) => entry.type === 'end')?.at ?? (copied[0] as RunEntry).startedAt;
    const [run, ...rest] = copied as [RunEntry, ...Entry[]];
    const marked: RunEntry = { ...run, redactedFrom: { head, lines: entries.length } };
    await journal.append(marked, ...rest, noteOf(head, at, names));
  } finally {
    await journal.close();
  }
  return { replacements: redact.replacements(), head, warnings: names ? warningsOf(all, found, kept) : [] };
}

function noteOf(head: string, at: string, names: boolean): NoteEntry {
  const what = names
    ? 'user names, host names, addresses, absolute paths and secrets are replaced'
    : 'secrets are masked';
  return { type: 'note', at, event: 'other', text: `a redacted copy of the journal with head ${head}: ${what}` };
}

const NOTHING: PrivateNames = { users: new Set(), hosts: new Set(), folders: new Set() };

function secretsOnly(secrets: ReadonlySet<string>): Redactor {
  const times = secrets.size;
  return {
    text: (value) => withoutSecrets(value),
    json: (value) => withoutSecretValues(value),
    replacements: () => (times === 0 ? [] : [{ standIn: MASK, kind: 'passwords, tokens and keys', times }]),
  };
}

/** JSON by its values, so that it stays JSON. */
function redactText(name: string, text: string, redact: Redactor): string {
  return name.endsWith('.json') ? `${JSON.stringify(redact.json(parseJsonFile(name, text)))}\n` : redact.text(text);
}

function* eachText(
  entries: readonly Entry[],
  texts: ReadonlyMap<string, string>,
  logs: ReadonlyMap<string, string>,
): Generator<string> {
  yield* texts.values();
  yield* logs.values();
  yield* strings(entries as unknown as JsonValue);
}

function* strings(value: JsonValue): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (Array.isArray(value)) {
    if (typeof value[0] !== 'number') for (const each of value) yield* strings(each);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) {
      // As an option would be written: {"report_host": "db1"}.
      if (typeof each === 'string' && /(?:host|hostname|user|username)$/i.test(key))
        yield `--${key.replaceAll('_', '-')}=${each}`;
      yield* strings(each);
    }
  }
}

/** Each file once. */
function artefactsOf(entries: readonly Entry[]): readonly Artefact[] {
  const found = new Map<string, Artefact>();
  for (const entry of entries) {
    if (entry.type === 'trial') for (const artefact of entry.artefacts) found.set(artefact.path, artefact);
  }
  return [...found.values()];
}

/** Names that the copy may still show, for the author to look at. */
function warningsOf(texts: readonly string[], names: PrivateNames, kept: ReadonlySet<string>): string[] {
  return [...names.users, ...names.hosts].flatMap((name) => {
    if (name.length < 3)
      return [`'${name}' is too short to be replaced as a word; it is replaced in paths and addresses.`];
    if (kept.has(name.toLowerCase())) {
      return [`'${name}' is also a word of the study or of the journal, and stays where it stands by itself.`];
    }
    const inside = new RegExp(`[\\p{L}\\p{N}]*${escapeRegExp(name)}[\\p{L}\\p{N}]*`, 'giu');
    const longer = new Set(
      texts.flatMap((text) => text.match(inside) ?? []).filter((word) => word.toLowerCase() !== name.toLowerCase()),
    );
    if (longer.size === 0) return [];
    const shown = [...longer].slice(0, 5).join(', ');
    return [
      `'${name}' is part of ${longer.size === 1 ? 'a longer word' : `${longer.size} longer words`}, which stay: ${shown}.`,
    ];
  });
}
