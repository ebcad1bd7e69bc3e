import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Handlebars from 'handlebars';
import { BenchbookError, sentenceOf } from '../errors.ts';
import type { Document } from '../report/document.ts';
import type { DrawnFigure } from './figure-set.ts';
import { fontFaceCss } from './fonts.ts';
import { liveRuntime, liveSpecs } from './live.ts';
import { pageView } from './view.ts';

const TEMPLATES = fileURLToPath(new URL('../../templates/', import.meta.url));

export interface HtmlOptions {
  /** Without any script: nothing to sort, copy or explore, and the smallest file. */
  readonly isStatic: boolean;
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
  for (const [name, text] of partials(path.join(TEMPLATES, 'html'))) handlebars.registerPartial(name, text);
  const view = pageView(document, figures, options);
  try {
    const strict = { strict: true, preventIndent: true };
    const body = handlebars.compile('{{> article}}', strict)(view);
    const css = `${fontFaceCss(body + document.title)}\n${styles(document.title)}`;
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
    throw new BenchbookError('render', `A template can't be filled: ${sentenceOf(thrown)}.`, { cause: thrown });
  }
}

function policy(css: string, scripts: readonly string[]): string {
  const script = scripts.length > 0 ? ` script-src ${scripts.map(source).join(' ')};` : '';
  return `default-src 'none'; style-src ${source(css)};${script} font-src data:; img-src data:; base-uri 'none'; form-action 'none'`;
}

function source(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function scriptsFor(hasLiveFigures: boolean): string[] {
  const own = (name: string) => readFileSync(path.join(TEMPLATES, 'scripts', name), 'utf8');
  return hasLiveFigures ? [own('report.js'), liveRuntime(), own('live.js')] : [own('report.js')];
}

function partials(folder: string): (readonly [string, string])[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.hbs'))
    .sort()
    .map((file) => [file.slice(0, -4), readFileSync(path.join(folder, file), 'utf8')] as const);
}

function styles(title: string): string {
  const folder = path.join(TEMPLATES, 'styles');
  const files = ['variables.css', 'page.css', 'blocks.css', 'print.css'];
  return files
    .map((file) => readFileSync(path.join(folder, file), 'utf8'))
    .join('\n')
    .replace('"RUNNING TITLE"', cssString(title));
}

/** Any text as a CSS string: everything but plain letters and digits as an escape, so that nothing can end it. */
function cssString(text: string): string {
  const short = [...text].length > 90 ? `${[...text].slice(0, 89).join('')}…` : text;
  return `"${[...short].map((c) => (/[A-Za-z0-9 ]/.test(c) ? c : `\\${c.codePointAt(0)!.toString(16)} `)).join('')}"`;
}
