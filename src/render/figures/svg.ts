import type * as Vega from 'vega';
import type { Config, TopLevelSpec } from 'vega-lite';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { textWidthPx } from './fonts.ts';
import { CONFIG } from './theme.ts';
import { vegaRuntime } from './vega.ts';

/** What vega's scene graph asks about text; see `textMetrics` of vega-scenegraph. */
interface TextItem {
  readonly fontSize?: number;
  readonly fontWeight?: number | string;
  readonly font?: string;
  /** Width in px to which the text is cut when drawn. */
  readonly limit?: number;
}

/**
 * Draw a complete Vega-Lite specification (with its data inline) as an SVG string, the same bytes every time: no
 * canvas, text measured in the shipped font, ids prefixed with `id`, nothing loaded, and expressions interpreted
 * rather than compiled, since a journal may come from a stranger.
 * @throws BenchbookError `render` with vega's own sentence where the specification can't be drawn.
 */
export async function drawSvg(spec: Readonly<Record<string, unknown>>, id: string): Promise<string> {
  try {
    const { vega, expressionInterpreter } = vegaRuntime();
    useShippedFontMetrics(vega);
    const { logger, errors } = quietLogger();
    const compiled = compileSpec(spec);
    const view = new vega.View(vega.parse(compiled, undefined, { ast: true }), {
      renderer: 'none',
      loader: refusingLoader(),
      logger,
      expr: expressionInterpreter,
    } as Vega.ViewOptions);
    (vega as unknown as { resetSVGDefIds(): void }).resetSVGDefIds();
    const svg = await view.toSVG();
    view.finalize();
    if (errors.length > 0) throw new Error(errors[0]);
    return slim(withOwnIds(withoutRemote(svg), id));
  } catch (thrown) {
    throw new BenchbookError('render', `The figure "${id}" can't be drawn: ${sentenceOf(thrown)}.`, { cause: thrown });
  }
}

/** Vega-Lite with the shared theme to Vega. */
export function compileSpec(spec: Readonly<Record<string, unknown>>): Vega.Spec {
  const config = CONFIG as unknown as Config;
  return vegaRuntime().vegaLite.compile(spec as unknown as TopLevelSpec, { config, logger: quietLogger().logger }).spec;
}

function useShippedFontMetrics(vega: typeof Vega): void {
  const metrics = (vega as unknown as { textMetrics: { width: (item: TextItem, text: string) => number } }).textMetrics;
  metrics.width = (item, text) => {
    const weight = item.fontWeight === 'bold' || Number(item.fontWeight) >= 500 ? 600 : 400;
    const family = item.font?.includes('Mono') ? 'mono' : 'sans';
    const width = textWidthPx(String(text ?? ''), item.fontSize ?? 11, weight, family);
    // Vega asks for whole texts too, and cuts them to the limit only when it draws them.
    return item.limit && item.limit > 0 ? Math.min(width, item.limit) : width;
  };
}

/** Figures draw from the document's tables alone. */
function refusingLoader(): Vega.Loader {
  const refuse = () =>
    Promise.reject(new Error('a figure must not load anything; it draws from the tables of the run'));
  // Vega does not expect that an address is refused while it writes the SVG: it gets an empty one, which `withoutRemote` takes out.
  const sanitize = () => Promise.resolve({ href: '' });
  return { load: refuse, sanitize, http: refuse, file: refuse } as unknown as Vega.Loader;
}

/** A study's own specification may name pictures and patterns that lie elsewhere: a file of ours points at nothing but itself. */
function withoutRemote(svg: string): string {
  return svg
    .replace(/<image\b[^>]*?(?:\/>|>[\s\S]*?<\/image>)|<\/?a\b[^>]*>/g, '')
    .replace(/ (?:[\w-]+:)?[\w-]+="[^"]*url\(\s*(?!#)[^"]*"/gi, (attribute) =>
      / (?:aria-label|data-tip)=/.test(attribute) ? attribute : '',
    );
}

function withOwnIds(svg: string, id: string): string {
  return svg
    .replace(/ id="([^"]+)"/g, (_, own: string) => ` id="${id}-${own}"`)
    .replace(/url\(#([^)]+)\)/g, (_, own: string) => `url(#${id}-${own})`);
}

/** Without what only vega's own runtime reads, with defaults said once and coordinates to 0.01 px: half the size. */
function slim(svg: string): string {
  const family = ' font-family="Source Sans 3, sans-serif"';
  const tips = svg.match(TIP)?.length ?? 0;
  return svg
    .replace(TIP, (_, label: string) =>
      tips > MOST_TIPS ? '' : ` data-tip="${label.replace(/\d+\.\d{2,}/g, shortened)}"`,
    )
    .replaceAll(family, '')
    .replace(/<path aria-hidden="true" d="(?:M0,0h0v0h0Z)?"(?: display="none")?\/>/g, '')
    .replace(/ (?:class|pointer-events|aria-[a-z]+|role|version|xmlns:xlink)="[^"]*"/g, '')
    .replace(/ (?:opacity|stroke-width)="1"| font-size="12px"/g, '')
    .replace(/ (?:transform|d|x2?|y2?|width|height)="[^"]*"/g, (attribute) =>
      attribute.replace(/\d+\.\d{3,}/g, rounded),
    )
    .replace(GROUP, hoisted)
    .replace('<svg ', `<svg font-size="12px"${family} `);
}

/** The marks of one layer: paths alone in a group. */
const GROUP = /<g([^>]*)>((?:<path [^>]*\/>){2,})<\/g>/g;

/** What all paths of a group have alike is said once, by the group; only what SVG inherits. */
function hoisted(whole: string, attributes: string, paths: string): string {
  const all = paths.split(/(?=<path )/);
  const common = (all[0]!.match(/ (?:fill|fill-opacity|stroke|stroke-width|stroke-dasharray)="[^"]*"/g) ?? []).filter(
    (attribute) => !attributes.includes(attribute.split('=')[0]!) && all.every((path) => path.includes(attribute)),
  );
  if (common.length === 0) return whole;
  const bare = common.reduce((text, attribute) => text.replaceAll(attribute, ''), paths);
  return `<g${attributes}${common.join('')}>${bare}</g>`;
}

/** What a mark shows, as vega describes it to screen readers: the page's script shows it on hover. Lines describe only their first point. */
const TIP =
  / aria-label="([^"]*)" role="graphics-symbol" aria-roledescription="(?:point|bar|rect mark|circle|square|tick)"/g;
/** Above this number of marks readers do not point at one, and the texts would be larger than the picture. */
const MOST_TIPS = 300;

/** The picture alone, for files that no script reads. */
export function withoutTips(svg: string): string {
  return svg.replace(/ data-tip="[^"]*"/g, '');
}

function rounded(number: string): string {
  return String(Number(Number(number).toFixed(2)));
}

function shortened(number: string): string {
  return String(Number(Number(number).toPrecision(5)));
}

/** Vega reports errors of a drawing to its logger and goes on: we collect them and throw when it is done. */
function quietLogger(): { readonly logger: Vega.LoggerInterface; readonly errors: readonly string[] } {
  const errors: string[] = [];
  const logger = {
    level: () => logger,
    error: (...parts: readonly unknown[]) => {
      errors.push(parts.map(sentenceOf).join(' '));
      return logger;
    },
    warn: (...parts: readonly unknown[]) => {
      if (parts[0] === 'Loading failed') errors.push(parts.map(sentenceOf).join(' '));
      return logger;
    },
    info: () => logger,
    debug: () => logger,
  };
  return { logger: logger as unknown as Vega.LoggerInterface, errors };
}
