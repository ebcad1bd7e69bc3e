import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type * as Fontkit from 'fontkit';
import type { Font } from 'fontkit';

/** The shipped faces (SIL Open Font License 1.1), the only ones that a report is set in. */
export const FAMILIES = {
  serif: { name: 'Source Serif 4', slug: 'source-serif-4' },
  sans: { name: 'Source Sans 3', slug: 'source-sans-3' },
  mono: { name: 'JetBrains Mono', slug: 'jetbrains-mono' },
} as const;

type FamilyKey = keyof typeof FAMILIES;

interface Face {
  readonly family: FamilyKey;
  readonly weight: 400 | 600;
  readonly style: 'normal' | 'italic';
}

const FACES: readonly Face[] = [
  { family: 'serif', weight: 400, style: 'normal' },
  { family: 'serif', weight: 400, style: 'italic' },
  { family: 'serif', weight: 600, style: 'normal' },
  { family: 'sans', weight: 400, style: 'normal' },
  { family: 'sans', weight: 600, style: 'normal' },
  { family: 'mono', weight: 400, style: 'normal' },
];

/** What the family of other scripts is called, after its Latin one in every list of fonts. */
const OTHER = ' Other';

/** Subsets that exist beside `latin`, in the order in which they are asked for a character. */
const SUBSETS = ['latin', 'latin-ext', 'greek', 'cyrillic', 'vietnamese', 'greek-ext', 'cyrillic-ext'] as const;

const require = createRequire(import.meta.url);
// Its single file for `require`: imported it is 30 files that the loader of TypeScript would look through.
const fontkit = require('fontkit') as typeof Fontkit;

/**
 * `@font-face` rules with the fonts inlined as WOFF2, for every script that `text` uses; the base Latin always.
 * Characters that no shipped font has (emoji, CJK, arrows) fall back to the reader's own fonts.
 */
export function fontFaceCss(text: string, families: readonly FamilyKey[] = ['serif', 'sans', 'mono']): string {
  return FACES.filter(({ family }) => families.includes(family))
    .flatMap((face) =>
      subsetsFor(face.family, text)
        .filter((subset) => subset === 'latin' || isRegular(face))
        .map((subset) => rule(face, subset)),
    )
    .join('\n');
}

/**
 * Width of a line of text in px as a browser sets it in the shipped font: advances and kerning of the real font.
 * Vega asks this in place of its own guess, so that no label is cut or collides, on any machine.
 */
export function textWidthPx(text: string, sizePx: number, weight: 400 | 600, family: FamilyKey = 'sans'): number {
  if (sizePx <= 0 || text === '') return 0;
  const key = `${family}${weight} ${text}`;
  let em = widths.get(key);
  if (em === undefined) {
    em = runs(text, family).reduce((sum, run) => sum + runWidth(run, family, weight), 0);
    if (widths.size > 50_000) widths.clear();
    widths.set(key, em);
  }
  return em * sizePx;
}

/** WOFF 1.0 files of the figures' family for the characters of `text`: regular first, then bold, then other scripts. */
export function sansFiles(text: string): Buffer[] {
  const { slug } = FAMILIES.sans;
  const rest = subsetsFor('sans', text).slice(1);
  const names = ['latin-400', 'latin-600', ...rest.map((subset) => `${subset}-400`)];
  return names.map((name) => readFileSync(require.resolve(`@fontsource/${slug}/files/${slug}-${name}-normal.woff`)));
}

const widths = new Map<string, number>();
const fonts = new Map<string, Font>();
const ranges = new Map<FamilyKey, Readonly<Record<string, readonly (readonly [number, number])[]>>>();

interface Run {
  readonly subset: string | null;
  readonly text: string;
}

function runWidth(run: Run, family: FamilyKey, weight: 400 | 600): number {
  // No shipped glyph: a full em for wide scripts and emoji, 0.6 em for the rest, never too narrow.
  if (run.subset === null) return [...run.text].reduce((sum, c) => sum + (c.codePointAt(0)! > 0x2e7f ? 1 : 0.6), 0);
  // Every glyph of its Latin is as wide as any other: no need to open the font.
  if (family === 'mono' && run.subset === 'latin' && !run.text.includes('\u00ad')) return run.text.length * MONO_EM;
  const font = load({ family, weight: run.subset === 'latin' ? weight : 400, style: 'normal' }, run.subset);
  return font.layout(run.text).advanceWidth / font.unitsPerEm;
}

const MONO_EM = 0.6;

function runs(text: string, family: FamilyKey): Run[] {
  const result: Run[] = [];
  for (const character of text) {
    const subset = subsetOf(character.codePointAt(0)!, family);
    const last = result[result.length - 1];
    if (last && last.subset === subset) result[result.length - 1] = { subset, text: last.text + character };
    else result.push({ subset, text: character });
  }
  return result;
}

function subsetsFor(family: FamilyKey, text: string): string[] {
  const found = new Set<string>(['latin']);
  for (const character of new Set(text.match(/[^\u0000-\u00ff]/gu))) {
    const subset = subsetOf(character.codePointAt(0)!, family);
    if (subset !== null) found.add(subset);
  }
  return SUBSETS.filter((subset) => found.has(subset));
}

function subsetOf(codePoint: number, family: FamilyKey): string | null {
  if (codePoint < 0x100) return 'latin';
  const known = rangesOf(family);
  return SUBSETS.find((s) => known[s]?.some(([first, last]) => codePoint >= first && codePoint <= last)) ?? null;
}

function rangesOf(family: FamilyKey): Readonly<Record<string, readonly (readonly [number, number])[]>> {
  let known = ranges.get(family);
  if (!known) {
    const raw = require(`@fontsource/${FAMILIES[family].slug}/unicode.json`) as Record<string, string>;
    known = Object.fromEntries(Object.entries(raw).map(([subset, list]) => [subset, parseRanges(list)]));
    ranges.set(family, known);
  }
  return known;
}

function parseRanges(list: string): (readonly [number, number])[] {
  return list.split(',').map((part) => {
    const [first, last] = part.trim().slice(2).split('-');
    return [Number.parseInt(first!, 16), Number.parseInt(last ?? first!, 16)] as const;
  });
}

/** Scripts beside Latin come in the regular face only, which stands for all weights: a few names must not double the file. */
function isRegular(face: Face): boolean {
  return face.weight === 400 && face.style === 'normal';
}

function rule(face: Face, subset: string): string {
  const { name } = FAMILIES[face.family];
  const data = fileOf(face, subset).toString('base64');
  const range = (require(`@fontsource/${FAMILIES[face.family].slug}/unicode.json`) as Record<string, string>)[subset];
  // A family of its own: a face of the same name whose weights differ would take the place of the Latin one.
  const family = subset === 'latin' ? name : `${name}${OTHER}`;
  return `@font-face{font-family:"${family}";font-weight:${subset === 'latin' ? face.weight : '400 600'};font-style:${face.style};font-display:block;src:url(data:font/woff2;base64,${data}) format("woff2");unicode-range:${range}}`;
}

function load(face: Face, subset: string): Font {
  const key = `${face.family} ${face.weight} ${face.style} ${subset}`;
  let font = fonts.get(key);
  if (!font) {
    font = fontkit.create(fileOf(face, subset)) as Font;
    fonts.set(key, font);
  }
  return font;
}

function fileOf(face: Face, subset: string): Buffer {
  const { slug } = FAMILIES[face.family];
  const name = `${slug}-${subset}-${face.weight}-${face.style}.woff2`;
  return readFileSync(require.resolve(`@fontsource/${slug}/files/${name}`));
}
