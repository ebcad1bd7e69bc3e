import { type Entry, FORMAT_VERSION } from '../entry.ts';
import { entrySchemas } from './schema.ts';

/** The entry that a body holds, or what is wrong with it, in words that follow "journal.jsonl, line 12: ". */
export function checkEntry(value: unknown): { readonly entry: Entry } | { readonly wrong: string } {
  if (typeof value !== 'object' || value === null) return { wrong: 'the body is no object' };
  const { type, format } = value as { readonly type?: unknown; readonly format?: unknown };
  // Check the format first: a newer format may have another shape.
  if (type === 'run' && typeof format === 'number' && format > FORMAT_VERSION) {
    return {
      wrong: `the journal is of format ${format}; this version of benchbook reads formats up to ${FORMAT_VERSION}. Update benchbook to read it`,
    };
  }
  if (typeof type !== 'string' || !Object.hasOwn(entrySchemas, type)) {
    return { wrong: `no kind of entry is called ${JSON.stringify(type) ?? 'nothing'}` };
  }
  const checked = entrySchemas[type as keyof typeof entrySchemas].safeParse(value);
  // The value as parsed, not zod's copy: it keeps unknown fields, and takes half the memory.
  if (checked.success) return { entry: value as Entry };
  const issue = checked.error.issues[0]!;
  const where = issue.path.map(String).join('.');
  return { wrong: `the ${type} entry is malformed${where === '' ? '' : ` at ${where}`}: ${issue.message}` };
}
