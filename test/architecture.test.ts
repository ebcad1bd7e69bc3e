import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');

/** A room's allowed imports: `all` of a room, or its `types` only. Leaves (errors.ts, forms.ts, units.ts) are open to every room. */
type Allowed = Readonly<Record<string, 'all' | 'types'>>;

const STUDY_AND_JOURNAL_TYPES: Allowed = { study: 'types', journal: 'types' };

/** The design's table, line by line. */
const TABLE: Readonly<Record<string, Allowed>> = {
  study: {},
  draft: { study: 'all' },
  plan: { study: 'all' },
  journal: {},
  formats: {},
  analysis: STUDY_AND_JOURNAL_TYPES,
  host: STUDY_AND_JOURNAL_TYPES,
  server: { ...STUDY_AND_JOURNAL_TYPES, host: 'all', formats: 'all' },
  measure: { ...STUDY_AND_JOURNAL_TYPES, server: 'all', host: 'all', formats: 'all' },
  run: {
    study: 'all',
    draft: 'all',
    plan: 'all',
    journal: 'all',
    formats: 'all',
    analysis: 'all',
    host: 'all',
    server: 'all',
    measure: 'all',
  },
  report: { draft: 'all', analysis: 'all', ...STUDY_AND_JOURNAL_TYPES },
  render: { report: 'types', study: 'types' },
  bundle: { render: 'all', report: 'all', journal: 'all' },
  // cli may import everything; its own test below holds that nothing imports it.
};

const LEAVES = ['errors.ts', 'files.ts', 'forms.ts', 'names.ts', 'units.ts'];

/** Packages that one room alone may use. */
const OWNED: Readonly<Record<string, string | readonly string[]>> = {
  handlebars: 'render',
  vega: 'render',
  'vega-lite': 'render',
  'vega-interpreter': 'render',
  // Set-up tries puppeteer's own browser where the system has none.
  puppeteer: ['render', 'cli'],
  commander: 'cli',
};

interface Import {
  readonly file: string;
  readonly room: string;
  readonly specifier: string;
  /** Room or leaf that it leads to; null for packages. */
  readonly target: string | null;
  readonly typeOnly: boolean;
}

interface Source {
  readonly file: string;
  readonly text: string;
}

let sources: readonly Source[];
let imports: readonly Import[];

beforeAll(async () => {
  const names = await readdir(SOURCE, { recursive: true });
  const files = names.filter((name) => /\.(ts|mjs)$/.test(name)).sort();
  sources = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(SOURCE, file), 'utf8') })));
  imports = sources.flatMap(importsOf);
});

/** Every static, dynamic and re-exporting import of a file, as TypeScript's own parser sees it. */
function importsOf({ file, text }: Source): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const target = specifier.startsWith('.') ? roomOf(relative(SOURCE, join(SOURCE, dirname(file), specifier))) : null;
    found.push({ file, room: roomOf(file), specifier, target, typeOnly });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, isTypeOnly(node.importClause));
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, node.isTypeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const specifier = node.arguments[0]!;
      if (ts.isStringLiteralLike(specifier)) add(specifier.text, false);
    } else if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      ts.isStringLiteral(node.argument.literal)
    ) {
      add(node.argument.literal.text, true);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true));
  return found;
}

function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (clause === undefined) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const named = clause.namedBindings;
  return (
    clause.name === undefined &&
    named !== undefined &&
    ts.isNamedImports(named) &&
    named.elements.length > 0 &&
    named.elements.every((each) => each.isTypeOnly)
  );
}

/** The room of a path below src/: its first folder, or the file itself at the top. */
function roomOf(path: string): string {
  return path.split('/')[0]!;
}

function violations(list: readonly Import[]): string[] {
  return list
    .filter(({ room, target, typeOnly }) => {
      if (target === null || target === room || LEAVES.includes(target)) return false;
      if (target === 'cli') return true;
      if (room === 'cli' || room === 'index.ts') return false;
      const allowed = TABLE[room]?.[target];
      return allowed === undefined || (allowed === 'types' && !typeOnly);
    })
    .map(({ file, specifier, typeOnly }) => `${file} imports ${typeOnly ? 'types of ' : ''}${specifier}`);
}

describe('the design’s import table', () => {
  test('is kept by every import', () => {
    expect(imports.length).toBeGreaterThan(20);
    expect(violations(imports)).toEqual([]);
  });

  test('knows every room, and none that is not there', () => {
    const rooms = new Set(sources.map(({ file }) => roomOf(file)));
    const known = [...Object.keys(TABLE), ...LEAVES, 'cli', 'index.ts'];
    expect([...rooms].sort()).toEqual([...known].sort());
  });

  test('is not blind: what it forbids is found in every form of import', () => {
    const text = [
      "import { a } from '../run/run.ts';",
      "import type { A } from '../server/build.ts';",
      "import { type B } from '../journal/read.ts';",
      "export { c } from '../cli/main.ts';",
      "const d = await import('../journal/read.ts');",
      "type E = import('../render/html.ts').Html;",
      "import '../draft/draft.ts';",
      "import { e } from '../errors.ts';",
      "import { f } from './other.ts';",
    ].join('\n');
    expect(violations(importsOf({ file: 'analysis/x.ts', text }))).toEqual([
      'analysis/x.ts imports ../run/run.ts',
      'analysis/x.ts imports types of ../server/build.ts',
      'analysis/x.ts imports ../cli/main.ts',
      'analysis/x.ts imports ../journal/read.ts',
      'analysis/x.ts imports types of ../render/html.ts',
      'analysis/x.ts imports ../draft/draft.ts',
    ]);
  });

  test('leaves import nothing of ours but each other', () => {
    const wrong = imports.filter(
      ({ room, target }) => LEAVES.includes(room) && target !== null && !LEAVES.includes(target),
    );
    expect(wrong.filter(({ typeOnly }) => !typeOnly)).toEqual([]);
  });

  test('packages stay with the one room that may use them', () => {
    const wrong = imports.filter(({ specifier, room, typeOnly }) => {
      const owner = OWNED[specifier.split('/')[0]!];
      return owner !== undefined && ![owner].flat().includes(room) && !typeOnly;
    });
    expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  test('relative imports end in .ts or name a file, and no import goes round in a circle of rooms', () => {
    const wrong = imports.filter(({ specifier, target }) => target !== null && !/\.(ts|mjs|json)$/.test(specifier));
    expect(wrong.map(({ file, specifier }) => `${file} imports ${specifier}`)).toEqual([]);
  });

  test('set-up runs before node_modules exist: it imports nothing but what Node.js brings', () => {
    const wrong = imports.filter(
      ({ file, specifier }) =>
        file === 'cli/setup.mjs' && !specifier.startsWith('node:') && !specifier.endsWith('.mjs'),
    );
    expect(wrong).toEqual([]);
  });
});

describe('files', () => {
  test('have at most 300 lines', () => {
    const long = sources.map(({ file, text }) => ({ file, lines: text.trimEnd().split('\n').length }));
    expect(long.filter(({ lines }) => lines > 300)).toEqual([]);
  });

  test('are not called utils, helpers, common or misc', () => {
    const vague = /(^|\/)(utils?|helpers?|common|misc)(\/|\.|$)/i;
    expect(sources.filter(({ file }) => vague.test(file)).map(({ file }) => file)).toEqual([]);
  });

  test('outside cli neither print nor exit', () => {
    const speaking = sources.filter(
      ({ file, text }) => roomOf(file) !== 'cli' && /\b(console\.(log|error|warn|info)|process\.exit)\(/.test(text),
    );
    expect(speaking.map(({ file }) => file)).toEqual([]);
  });
});
