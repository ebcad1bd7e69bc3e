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

export function policy(css: string, scripts: readonly string[]): string {
  const script = scripts.length > 0 ? ` script-src ${scripts.map(source).join(' ')};` : '';
  return `default-src 'none'; style-src ${source(css)};${script} font-src data:; img-src data:; base-uri 'none'; form-action 'none'`;
}

function source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function scriptsFor(hasLiveFigures: boolean): string[] {
  const all = [ownScript('glyphs.js'), ownScript('report.js')];
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
