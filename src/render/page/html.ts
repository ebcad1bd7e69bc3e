import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import Handlebars from 'handlebars';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { packageFile } from '../../lib/package-files.ts';
import type { Document } from '../../report/document.ts';
import type { DrawnFigure } from '../figures/figure-set.ts';
import { fontFaceCss } from '../figures/fonts.ts';
import { liveSpecs } from '../figures/live.ts';
import { vegaScript } from '../figures/vega.ts';
import { pageView } from './view.ts';

const TEMPLATES = packageFile('templates');

export interface HtmlOptions {
  /** Without any script: nothing to sort, copy or explore, and the smallest file. */
  readonly isStatic: boolean;
  /**
   * A folder laid out like `templates/` whose files stand in for those of the same name: `html/figure.hbs` sets figures
   * anew, `styles/variables.css` recolours; `styles/extra.css` comes after all others.
   */
  readonly templates?: string | undefined;
}

/**
 * The report as one HTML file that makes no request: style and fonts inlined, figures as SVG, readable without script.
 * The content security policy allows nothing but the one style sheet and the scripts, by their hashes, and the fonts.
 * @throws BenchbookError `render` for a template that names a value which does not exist.
 */
export function htmlReport(
  document: Document,
  figures: ReadonlyMap<string, DrawnFigure>,
  options: HtmlOptions,
): string {
  const handlebars = Handlebars.create();
  handlebars.registerHelper('is', (value: unknown, word: string) => value === word);
  handlebars.registerHelper('unique', uniqueNames());
  const files = templateFiles(options.templates);
  for (const [name, text] of files('html', '.hbs')) handlebars.registerPartial(name, text);
  const view = pageView(document, figures, options);
  try {
    const strict = { strict: true, preventIndent: true };
    const body = handlebars.compile('{{> article}}', strict)(view);
    const css = `${fontFaceCss(body + document.title)}\n${styles(files('styles', '.css'), document.title)}`;
    const specs = options.isStatic ? '{}' : liveSpecs(document);
    const scripts = options.isStatic ? [] : scriptsFor(specs !== '{}');
    const page = {
      ...view,
      body: new Handlebars.SafeString(body),
      css: new Handlebars.SafeString(css),
      scripts: scripts.map((script) => new Handlebars.SafeString(script)),
      specs: specs === '{}' ? null : new Handlebars.SafeString(specs),
      factors: scripts.length === 0 ? null : new Handlebars.SafeString(scriptJson(levelsOf(document))),
      policy: policy(css, scripts),
    };
    return handlebars.compile('{{> page}}', strict)(page);
  } catch (thrown) {
    if (thrown instanceof BenchbookError) throw thrown;
    const hint =
      options.templates === undefined
        ? {}
        : { hint: `Look in ${options.templates}; templates see what src/render/page/view.ts lays out.` };
    throw new BenchbookError('render', `A template can't be filled: ${sentenceOf(thrown).split('\n')[0]}.`, {
      cause: thrown,
      ...hint,
    });
  }
}

/** A name as it is the first time, then "name (2)": regions of a page need names that tell them apart. */
function uniqueNames(): (...words: unknown[]) => string {
  const times = new Map<string, number>();
  return (...words) => {
    // Handlebars adds an argument of its own.
    const name = words.slice(0, -1).join(': ');
    const time = (times.get(name) ?? 0) + 1;
    times.set(name, time);
    return time === 1 ? name : `${name} (${time})`;
  };
}

/** The levels of each factor with what readers see in their place. */
function levelsOf({ order, tables }: Document): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const columns = Object.values(tables).flatMap((table) => table.columns);
  return Object.fromEntries(
    Object.entries(order).map(([name, levels]) => {
      const shown = columns.find((column) => column.key === name && column.shown !== undefined)?.shown ?? {};
      return [name, Object.fromEntries(levels.map((level) => [level, shown[level] ?? level]))];
    }),
  );
}

/** Data for a script, in an element where a browser reads no entities. */
function scriptJson(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', '\\u003c');
}

export function policy(css: string, scripts: readonly string[]): string {
  const script = scripts.length > 0 ? ` script-src ${scripts.map(source).join(' ')};` : '';
  return `default-src 'none'; style-src ${source(css)};${script} font-src data:; img-src data:; base-uri 'none'; form-action 'none'`;
}

function source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function scriptsFor(hasLiveFigures: boolean): string[] {
  const all = [ownScript('glyphs.js'), ownScript('report.js'), ownScript('find.js')];
  return hasLiveFigures ? [...all, vegaScript(), ownScript('live.js')] : all;
}

/** A script of ours, as a page carries it. */
export function ownScript(name: string): string {
  return readFileSync(path.join(TEMPLATES, 'scripts', name), 'utf8');
}

/** All templates of one folder by name, in a fixed order; the user's own in place of ours. */
export function templateFiles(
  own: string | undefined,
): (folder: string, ending: string) => ReadonlyMap<string, string> {
  if (own !== undefined && !existsSync(own)) {
    throw new BenchbookError('usage', `The template folder "${own}" does not exist.`, {
      hint: 'Copy what is to change from templates/.',
    });
  }
  return (folder, ending) => {
    const files = new Map<string, string>();
    for (const root of own === undefined ? [TEMPLATES] : [TEMPLATES, own]) {
      const here = path.join(root, folder);
      if (!existsSync(here)) continue;
      for (const file of readdirSync(here).sort()) {
        if (file.endsWith(ending))
          files.set(file.slice(0, -ending.length), readFileSync(path.join(here, file), 'utf8'));
      }
    }
    return files;
  };
}

export function styles(files: ReadonlyMap<string, string>, title: string): string {
  const css = ['variables', 'page', 'blocks', 'print', 'extra'].map((name) => files.get(name) ?? '').join('\n');
  if (/@import|url\(\s*(?!["']?data:)/i.test(css)) {
    throw new BenchbookError(
      'usage',
      'A style sheet loads something (@import or url); a report makes no request, so inline it as data:.',
    );
  }
  // A function, since a title may hold `$&`; and nothing in a style sheet may end the element that it stands in.
  return css.replace('"RUNNING TITLE"', () => cssString(title)).replace(/<\/(?=style)/gi, '<\\/');
}

/** Any text as a CSS string: everything but plain letters and digits as an escape, so that nothing can end it. */
function cssString(text: string): string {
  const short = [...text].length > 90 ? `${[...text].slice(0, 89).join('')}…` : text;
  return `"${[...short].map((c) => (/[A-Za-z0-9 ]/.test(c) ? c : `\\${c.codePointAt(0)!.toString(16)} `)).join('')}"`;
}
