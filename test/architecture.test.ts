import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const SOURCE = join(ROOT, 'src');

/** Files at the top of `src/`: the study author's API. */
const API = 'index.ts';

/** The room that every room may use. */
const LIB = 'lib';

/** Packages that one room alone may use. */
const OWNED: Readonly<Record<string, string | readonly string[]>> = {
  handlebars: 'render',
  vega: 'render',
  'vega-lite': 'render',
  'vega-interpreter': 'render',
  'puppeteer-core': 'render',
  commander: 'cli',
};

/** A room's allowed imports: `all` of a room's doors, or their `types` only; null for a room that may import everything. */
type Allowed = Readonly<Record<string, 'all' | 'types'>> | null;
interface Room {
  readonly allowed: Allowed;
  /** Names of the files directly in the room, without ending; null where every file is a door, in subfolders too. */
  readonly doors: readonly string[] | null;
}
type Table = Readonly<Record<string, Room>>;

interface Import {
  readonly file: string;
  readonly specifier: string;
  /** The file that it leads to, relative to `src/`; null for packages and for what lies outside of `src/`. */
  readonly target: string | null;
  readonly typeOnly: boolean;
}

interface Source {
  readonly file: string;
  readonly text: string;
}

let sources: readonly Source[];
let imports: readonly Import[];
let table: Table;

beforeAll(async () => {
  const names = await readdir(SOURCE, { recursive: true });
  const files = names.filter((name) => /\.(ts|mjs)$/.test(name)).sort();
  sources = await Promise.all(files.map(async (file) => ({ file, text: await readFile(join(SOURCE, file), 'utf8') })));
  imports = sources.flatMap(importsOf);
  table = tableIn(await readFile(join(ROOT, 'CONTRIBUTING.md'), 'utf8'));
});

/** The table of rooms in CONTRIBUTING.md: its first column names the room, then its doors, its last what the room may import. */
function tableIn(markdown: string): Table {
  const lines = markdown.split('\n');
  const head = lines.findIndex((line) => /^\| room\b.*\| may import\b/.test(line));
  const rows = lines.slice(
    head + 2,
    lines.findIndex((line, index) => index > head && !line.startsWith('|')),
  );
  return Object.fromEntries(
    rows.map((row) => {
      const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
      const [, room] = /^`([\w-]+)\/`$/.exec(cells[1]!) ?? [];
      if (room === undefined) throw new Error(`no room in the row: ${row}`);
      const doors = cells.at(-3)!;
      return [room, { allowed: allowedIn(cells.at(-2)!), doors: doors === 'every file' ? null : doors.split(' ') }];
    }),
  );
}

function allowedIn(cell: string): Allowed {
  if (cell === 'everything') return null;
  if (cell === 'lib only') return {};
  return Object.fromEntries(
    cell.split(', ').map((each) => {
      const [, room, types] = /^([\w-]+)( \(types\))?$/.exec(each) ?? [];
      if (room === undefined) throw new Error(`not a list of rooms: ${cell}`);
      return [room, types === undefined ? 'all' : 'types'] as const;
    }),
  );
}

/** Every static, dynamic and re-exporting import of a file, as TypeScript's own parser sees it. */
function importsOf({ file, text }: Source): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, typeOnly: boolean) => {
    const path = specifier.startsWith('.') ? relative(SOURCE, join(SOURCE, dirname(file), specifier)) : null;
    found.push({ file, specifier, target: path?.startsWith('..') ? null : path, typeOnly });
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

/** A door lies directly in its room. */
function isDoor(path: string): boolean {
  return path.split('/').length === 2;
}

/** Imports that the table of rooms does not allow. */
function violations(list: readonly Import[], rooms: Table): string[] {
  return list
    .filter(({ file, target, typeOnly }) => {
      if (target === null) return false;
      const room = roomOf(file);
      const wanted = roomOf(target);
      if (wanted === room || wanted === LIB) return false;
      if (wanted === 'cli' || wanted === API) return !(room === 'cli' && wanted === API);
      const allowed = rooms[room]?.allowed;
      if (room === API || allowed === null) return false;
      return allowed?.[wanted] === undefined || (allowed[wanted] === 'types' && !typeOnly);
    })
    .map(described);
}

/** Imports of another room's private files. */
function throughWalls(list: readonly Import[], rooms: Table): string[] {
  return list
    .filter(({ file, target }) => target !== null && roomOf(file) !== roomOf(target) && target.includes('/'))
    .filter(({ target }) => !isDoor(target!) && rooms[roomOf(target!)]?.doors !== null)
    .map(described);
}

function described({ file, specifier, typeOnly }: Import): string {
  return `${file} imports ${typeOnly ? 'types of ' : ''}${specifier}`;
}

/** Groups of files that import each other in a circle, type imports included (Tarjan 1972). */
function circles(list: readonly Import[]): string[] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of list) {
    if (target !== null) targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const found: string[] = [];
  const visit = (file: string): void => {
    index.set(file, index.size);
    low.set(file, index.get(file)!);
    stack.push(file);
    for (const next of targets.get(file) ?? []) {
      if (!index.has(next)) visit(next);
      if (stack.includes(next)) low.set(file, Math.min(low.get(file)!, low.get(next)!));
    }
    if (low.get(file) !== index.get(file)) return;
    const group = stack.splice(stack.indexOf(file));
    if (group.length > 1 || targets.get(file)?.includes(file)) found.push(group.sort().join(', '));
  };
  for (const file of targets.keys()) if (!index.has(file)) visit(file);
  return found.sort();
}

/** Files of set-up that import more than Node.js brings and other files of set-up. */
function setupViolations(list: readonly Import[]): string[] {
  return list
    .filter(({ file }) => file === 'cli/setup.mjs' || file.startsWith('cli/setup/'))
    .filter(({ specifier, target }) => !specifier.startsWith('node:') && !target?.startsWith('cli/setup/'))
    .map(described);
}

/** What one file would import, for tests of the rules themselves. */
function importsIn(file: string, ...lines: readonly string[]): Import[] {
  return importsOf({ file, text: lines.join('\n') });
}

describe('the table of rooms in CONTRIBUTING.md', () => {
  test('is kept by every import', () => {
    expect(imports.length).toBeGreaterThan(1000);
    expect(violations(imports, table)).toEqual([]);
  });

  test('names every room of src/, and no other', () => {
    const rooms = new Set(sources.map(({ file }) => roomOf(file)).filter((room) => room !== API));
    expect(Object.keys(table).sort()).toEqual([...rooms].sort());
  });

  test('names the doors of each room', () => {
    const wrong = Object.entries(table).flatMap(([room, { doors }]) => {
      const found = sources.map(({ file }) => file).filter((file) => roomOf(file) === room && isDoor(file));
      const names = found.map((file) => file.split('/')[1]!.replace(/\.\w+$/, ''));
      return doors === null || names.sort().join(' ') === [...doors].sort().join(' ')
        ? []
        : [`${room}: ${names.join(' ')}`];
    });
    expect(wrong).toEqual([]);
  });

  test('finds what it forbids in every form of import', () => {
    const found = importsIn(
      'analysis/x.ts',
      "import { a } from '../run/run.ts';",
      "import type { A } from '../server/build.ts';",
      "import { type B } from '../journal/read.ts';",
      "export { c } from '../cli/main.ts';",
      "const d = await import('../journal/read.ts');",
      "type E = import('../render/html.ts').Html;",
      "import '../draft/draft.ts';",
      "import { e } from '../lib/errors.ts';",
      "import { f } from './other.ts';",
    );
    expect(violations(found, table)).toEqual([
      'analysis/x.ts imports ../run/run.ts',
      'analysis/x.ts imports types of ../server/build.ts',
      'analysis/x.ts imports ../cli/main.ts',
      'analysis/x.ts imports ../journal/read.ts',
      'analysis/x.ts imports types of ../render/html.ts',
      'analysis/x.ts imports ../draft/draft.ts',
    ]);
  });

  test('packages stay with the one room that may use them', () => {
    const wrong = imports.filter(({ specifier, file, typeOnly }) => {
      const owner = OWNED[specifier.split('/')[0]!];
      return owner !== undefined && ![owner].flat().includes(roomOf(file)) && !typeOnly;
    });
    expect(wrong.map(described)).toEqual([]);
  });
});

describe('rooms', () => {
  test('import other rooms through their doors, the files directly in a room', () => {
    expect(throughWalls(imports, table)).toEqual([]);
    const inside = importsIn('run/x.ts', "import type { A } from '../server/process/stop.ts';");
    expect(throughWalls(inside, table)).toEqual(['run/x.ts imports types of ../server/process/stop.ts']);
    expect(throughWalls(importsIn('server/x.ts', "import { a } from './process/stop.ts';"), table)).toEqual([]);
  });

  test('have no circle of imports, types included', () => {
    expect(circles(imports)).toEqual([]);
    const round = [
      ...importsIn('plan/a.ts', "import { b } from './b.ts';"),
      ...importsIn('plan/b.ts', "import { c } from '../run/c.ts';"),
      ...importsIn('run/c.ts', "import type { A } from '../plan/a.ts';", "import { d } from './d.ts';"),
      ...importsIn('run/d.ts', "import { e } from './e.ts';"),
    ];
    expect(circles(round)).toEqual(['plan/a.ts, plan/b.ts, run/c.ts']);
  });

  test('hold at most twelve files at one level', () => {
    const levels = new Map<string, number>();
    for (const { file } of sources) levels.set(dirname(file), (levels.get(dirname(file)) ?? 0) + 1);
    expect([...levels].filter(([, count]) => count > 12)).toEqual([]);
  });

  test('set-up runs before node_modules exist: it imports Node.js and itself only', () => {
    expect(sources.filter(({ file }) => file.startsWith('cli/setup/')).length).toBeGreaterThan(1);
    expect(setupViolations(imports)).toEqual([]);
    const wrong = importsIn('cli/setup/x.mjs', "import { execa } from 'execa';", "import '../cache.ts';");
    expect(setupViolations(wrong)).toEqual(['cli/setup/x.mjs imports execa', 'cli/setup/x.mjs imports ../cache.ts']);
  });
});

describe('files', () => {
  test('have at most 300 lines, and half of them fewer than 90', () => {
    const lines = sources.map(({ file, text }) => ({ file, lines: text.trimEnd().split('\n').length }));
    expect(lines.filter((each) => each.lines > 300)).toEqual([]);
    const sorted = lines.map((each) => each.lines).sort((one, other) => one - other);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(90);
  });

  test('have names in kebab-case that say what they hold, never utils, helpers, common or misc', () => {
    const parts = sources.flatMap(({ file }) => file.split('/').map((part) => ({ file, part })));
    const wrong = parts.filter(
      ({ part }) =>
        !/^[a-z0-9]+(-[a-z0-9]+)*(\.(ts|mjs))?$/.test(part) || /^(utils?|helpers?|common|misc)(\.|$)/.test(part),
    );
    expect(wrong.map(({ file }) => file)).toEqual([]);
  });

  test('name other files in imports with their ending', () => {
    const wrong = imports.filter(({ target }) => target !== null && !/\.(ts|mjs|json)$/.test(target));
    expect(wrong.map(described)).toEqual([]);
  });

  test('outside cli neither print nor exit', () => {
    const speaking = sources.filter(
      ({ file, text }) => roomOf(file) !== 'cli' && /\b(console\.(log|error|warn|info)|process\.exit)\(/.test(text),
    );
    expect(speaking.map(({ file }) => file)).toEqual([]);
  });
});
