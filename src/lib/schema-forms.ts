import { z } from 'zod';

/** What a schema allows, in words: "a whole number, or { min, max, … }". */
export function formOf(schema: z.ZodType): string {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) return formOf(inner(schema.unwrap()));
  if (schema instanceof z.ZodUnion) {
    const forms = [...new Set(schema.options.map((option) => formOf(inner(option))))];
    return listed(forms);
  }
  if (schema instanceof z.ZodEnum) return listed(schema.options.map((option) => `'${option}'`));
  if (schema instanceof z.ZodLiteral)
    return listed([...schema.values].map((value) => (typeof value === 'string' ? `'${value}'` : String(value))));
  if (schema instanceof z.ZodObject) return objectForm(schema.shape as Readonly<Record<string, z.ZodType>>);
  if (schema instanceof z.ZodArray) return `a list, each item ${formOf(inner(schema.element))}`;
  if (schema instanceof z.ZodRecord) return `an object, each value ${formOf(inner(schema.valueType))}`;
  if (schema instanceof z.ZodNumber) return schema.format === 'safeint' ? 'a whole number' : 'a number';
  if (schema instanceof z.ZodString) return 'a text';
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodBigInt) return 'a bigint';
  if (schema instanceof z.ZodNull) return 'null';
  if (schema instanceof z.ZodCustom) return 'a function';
  return 'a value of another form';
}

/** A wrong value: where it is, what is wrong, and which values are allowed. */
export interface Wrong {
  readonly path: readonly string[];
  readonly missing: boolean;
  /** Without a full stop: "must be a whole number, or …, not 'x'". */
  readonly sentence: string;
}

/** The first thing that is wrong, in the part of a union that fits best: zod itself says no more than "Invalid input". */
export function wrongIn(
  schema: z.ZodType,
  given: unknown,
  issue: z.core.$ZodIssue,
  above: readonly PropertyKey[] = [],
): Wrong {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union') {
    // One form of the union fits, apart from something inside of it: report that.
    const inside = issue.errors.find(
      ([first]) => first !== undefined && (first.path.length > 0 || first.code === 'unrecognized_keys'),
    );
    if (inside !== undefined) return wrongIn(schema, given, inside[0]!, path);
  }
  const names = path.map(String);
  const value = at(given, path);
  const place = schemaAt(schema, path);
  if (issue.code === 'unrecognized_keys') {
    const form = place === null ? '' : `; it is ${formOf(place)}`;
    return { path: names, missing: false, sentence: `has no '${issue.keys[0]}'${form}` };
  }
  // A schema's own message explains more than its type.
  const own = issue.message === usualMessage(issue, value) ? null : issue.message;
  const missing = value === undefined && names.length > 0 && own === null;
  const range = rangeOf(issue);
  const form = place === null ? 'of another form' : `be ${formOf(place)}`;
  const sentence = own ?? `must ${range ?? form}${missing ? '' : `, not ${shown(value)}`}`;
  return { path: names, missing, sentence };
}

/** The message that zod gives an issue for which a schema has none. */
function usualMessage(issue: z.core.$ZodIssue, input: unknown): string | undefined {
  const usual = z.config().localeError?.({ ...issue, input } as z.core.$ZodRawIssue);
  return typeof usual === 'string' ? usual : usual?.message;
}

function rangeOf(issue: z.core.$ZodIssue): string | null {
  if (issue.code === 'too_small') return `be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}`;
  if (issue.code === 'too_big') return `be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}`;
  return null;
}

function objectForm(shape: Readonly<Record<string, z.ZodType>>): string {
  const names = Object.entries(shape).map(([name, value]) => (value instanceof z.ZodOptional ? `${name}?` : name));
  return names.length === 0 ? 'an object' : `{ ${names.join(', ')} }`;
}

function listed(forms: readonly string[]): string {
  return forms.length < 2 ? (forms[0] ?? '') : `${forms.slice(0, -1).join(', ')} or ${forms.at(-1)}`;
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce((each: unknown, key) => (each as Record<PropertyKey, unknown> | null | undefined)?.[key], value);
}

/** The schema at a path; null where the path leads into no schema. */
function schemaAt(schema: z.ZodType, path: readonly PropertyKey[]): z.ZodType | null {
  const bare = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? inner(schema.unwrap()) : schema;
  const [key, ...rest] = path;
  if (key === undefined) return bare;
  if (bare instanceof z.ZodObject) {
    const part = (bare.shape as Readonly<Record<string, z.ZodType>>)[String(key)];
    return part === undefined ? null : schemaAt(part, rest);
  }
  if (bare instanceof z.ZodArray) return schemaAt(inner(bare.element), rest);
  if (bare instanceof z.ZodRecord) return schemaAt(inner(bare.valueType), rest);
  if (bare instanceof z.ZodUnion) {
    for (const option of bare.options) {
      const found = schemaAt(inner(option), path);
      if (found !== null) return found;
    }
  }
  return null;
}

function inner(schema: unknown): z.ZodType {
  return schema as z.ZodType;
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > 40 ? `${value.slice(0, 39)}…` : value}'`;
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return `{ ${Object.keys(value).join(', ')} }`;
  return typeof value === 'function' ? 'a function' : String(value);
}
