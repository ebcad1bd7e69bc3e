import { readFile } from 'node:fs/promises';
import { dirname, extname, relative, resolve, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Loader, Plugin } from 'esbuild';

/** What a file calls its own place, by what stands for it in the bundle. */
export const PLACE_NAMES = {
  'import.meta': 'benchbookMeta',
  __dirname: 'benchbookDirname',
  __filename: 'benchbookFilename',
} as const;

const USES = /\bimport\s*\.\s*meta\b|\b__(?:dir|file)name\b/;
const MARK = 'benchbook-place:';

/**
 * Gives each file of a study its own place: the bundle runs from a temporary folder, whose path means nothing to the study. The bundle holds
 * marks with paths relative to the study, so that the code hash is the same wherever the study lies; `withPlaces` replaces them.
 */
export function placePlugin(directory: string): Plugin {
  return {
    name: 'benchbook-place',
    setup(builder) {
      builder.onLoad({ filter: /\.[cm]?[jt]sx?$/, namespace: 'file' }, async ({ path }) => {
        const text = await readFile(path, 'utf8');
        if (!USES.test(text)) return null;
        const mark = (what: string) =>
          JSON.stringify(`${MARK}${what}:${encodeURIComponent(relative(directory, path).split(sep).join('/'))};`);
        const [url, folder, file] = ['url', 'dirname', 'filename'].map(mark);
        const meta = `{ url: ${url}, dirname: ${folder}, filename: ${file}, resolve: (to) => new URL(to, ${url}).href }`;
        const names = PLACE_NAMES;
        const own = `var ${names['import.meta']} = ${meta}, ${names.__dirname} = ${folder}, ${names.__filename} = ${file}; `;
        // Insert it into the first line, so that lines keep their numbers. A `#!` line stays a comment.
        return { contents: own + text.replace(/^#!/, '//'), loader: loaderOf(path) };
      });
    },
  };
}

function loaderOf(path: string): Loader {
  return extname(path).replace(/^\.[cm]?/, '') as Loader;
}

/** The bundle with the real places of its files. */
export function withPlaces(code: string, directory: string): string {
  return code.replaceAll(/benchbook-place:(url|dirname|filename):([^;]*);/g, (_, what: string, name: string) => {
    const path = resolve(directory, decodeURIComponent(name));
    const text = what === 'url' ? pathToFileURL(path).href : what === 'dirname' ? dirname(path) : path;
    // It stands in a string literal with quotes of any kind.
    return JSON.stringify(text)
      .slice(1, -1)
      .replaceAll(/['`$]/g, (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  });
}
