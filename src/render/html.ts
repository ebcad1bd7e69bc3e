import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import Handlebars from 'handlebars';
import { BenchbookError, sentenceOf } from '../errors.ts';
import type { Document } from '../report/document.ts';
import type { DrawnFigure } from './figure-set.ts';
import { fontFaceCss } from './fonts.ts';
import { pageView } from './view.ts';

const TEMPLATES = fileURLToPath(new URL('../../templates/', import.meta.url));

/**
 * The report as one HTML file that makes no request: style and fonts inlined, figures as SVG, readable without script.
 * The content security policy allows nothing but the one style sheet, by its hash, and the fonts in it.
 * @throws BenchbookError `render` for a template that names a value which does not exist.
 */
export function htmlReport(document: Document, figures: ReadonlyMap<string, DrawnFigure>): string {
  const handlebars = Handlebars.create();
  for (const [name, text] of partials(path.join(TEMPLATES, 'html'))) handlebars.registerPartial(name, text);
  handlebars.registerHelper('is', (value: unknown, word: string) => value === word);
  const view = pageView(document, figures);
  try {
    const options = { strict: true, preventIndent: true };
    const body = handlebars.compile('{{> article}}', options)(view);
    const css = `${fontFaceCss(body + document.title)}\n${styles(document.title)}`;
    const hash = createHash('sha256').update(css).digest('base64');
    const page = {
      ...view,
      body: new Handlebars.SafeString(body),
      css: new Handlebars.SafeString(css),
      policy: policy(hash),
    };
    return handlebars.compile('{{> page}}', options)(page);
  } catch (thrown) {
    if (thrown instanceof BenchbookError) throw thrown;
    throw new BenchbookError('render', `A template can't be filled: ${sentenceOf(thrown)}.`, { cause: thrown });
  }
}

function policy(styleHash: string): string {
  return `default-src 'none'; style-src 'sha256-${styleHash}'; font-src data:; img-src data:; base-uri 'none'; form-action 'none'`;
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
