import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type BuildFailure, build, type Plugin } from 'esbuild';
import { BenchbookError, sentenceOf } from '../lib/errors.ts';
import { folderNameFault } from '../lib/files/folder-names.ts';
import { placeInStack, withPlace } from '../lib/source-location.ts';
import { awaited, type CalledStudy, limited } from './call.ts';
import { measuringCodeHash } from './checks/code-hash.ts';
import { PLACE_NAMES, placePlugin, withPlaces } from './checks/own-place.ts';
import { validateStudy } from './checks/validate.ts';
import { STUDY_MARK, type StudyDefinition } from './define.ts';
import type { Study, StudyBundle, StudyInput } from './study.ts';

/** The global key under which a study's bundle finds the running engine's API. */
const API_KEY = Symbol.for('benchbook.api');

/**
 * Loads a study from anywhere on disk: bundled with esbuild so that every input file is known, with `benchbook` mapped
 * to the running engine (`api`), then imported, checked and frozen, with its parameters as `profile` sets them.
 *
 * @throws BenchbookError `study` with file and line where it does not parse, exports nothing, or fails a check; `usage` for a
 *   profile that the study does not have
 */
export async function loadStudy(
  path: string,
  api: Readonly<Record<string, unknown>>,
  profile: string | null = null,
): Promise<Study> {
  const file = resolve(path);
  const id = basename(file).replace(/\.study\.[cm]?ts$|\.[cm]?[jt]s$/, '');
  const sourceText = await readSource(file);
  const fault = folderNameFault(id);
  if (fault !== null) {
    throw new BenchbookError('study', `A study cannot be called '${id}': ${fault}.`, {
      place: { file },
      hint: 'rename its file: its runs lie in a folder of that name',
    });
  }
  const bundle = { ...(await bundleStudy(file, api)), file, id, sourceText, profile };
  const study = await studyOfBundle(bundle, api);
  if (!hasOwnCode(study)) return study;
  return Object.freeze({ ...study, codeHash: await measuringCodeHash(bundle.code), bundle });
}

/**
 * The study of a bundle, in any process.
 *
 * @throws as `loadStudy` does
 */
export async function studyOfBundle(bundle: StudyBundle, api: Readonly<Record<string, unknown>>): Promise<Study> {
  const exported = await importBundle(bundle, api);
  return validateStudy({ ...bundle, definition: definitionOf(exported, bundle.file) });
}

/** Whether a measurement runs code of the study's own, which then decides what a trial was. */
function hasOwnCode(study: Study): boolean {
  const first = Object.fromEntries(study.factors.map((factor) => [factor.name, factor.levels[0]!.value]));
  return JSON.stringify(Object.values(study.measurements(first)), (_key, value) =>
    typeof value === 'function' ? OWN_CODE : typeof value === 'bigint' ? String(value) : value,
  ).includes(OWN_CODE);
}

const OWN_CODE = '(function of the study)';

async function readSource(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new BenchbookError('usage', `There is no study file ${file}.`, {
      hint: '`benchbook list` shows the studies here',
      cause,
    });
  }
}

async function bundleStudy(
  file: string,
  api: Readonly<Record<string, unknown>>,
): Promise<{ code: string; inputs: readonly StudyInput[] }> {
  try {
    const result = await build({
      entryPoints: [file],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      sourcemap: 'inline',
      outfile: join(dirname(file), 'study.mjs'),
      absWorkingDir: dirname(file),
      logLevel: 'silent',
      // A study may import statements and small data from files; they become part of the study.
      loader: { '.sql': 'text', '.txt': 'text', '.csv': 'text', '.cnf': 'text' },
      define: PLACE_NAMES,
      plugins: [enginePlugin(api), placePlugin(dirname(file))],
    });
    const inputs = await Promise.all(
      Object.keys(result.metafile.inputs)
        .filter((name) => !name.includes('benchbook-engine:'))
        .map(async (name) => {
          const path = resolve(dirname(file), name);
          return {
            path,
            sha256: createHash('sha256')
              .update(await readFile(path))
              .digest('hex'),
          };
        }),
    );
    return { code: result.outputFiles[0]!.text, inputs: inputs.sort((a, b) => (a.path < b.path ? -1 : 1)) };
  } catch (cause) {
    throw parseError(cause, file);
  }
}

/** Maps `benchbook` to the running engine, so that there is one instance of it. */
function enginePlugin(api: Readonly<Record<string, unknown>>): Plugin {
  return {
    name: 'benchbook-engine',
    setup(builder) {
      builder.onResolve({ filter: /^benchbook$/ }, () => ({ path: 'api', namespace: 'benchbook-engine' }));
      builder.onLoad({ filter: /.*/, namespace: 'benchbook-engine' }, () => ({
        contents: `export const { ${Object.keys(api).join(', ')} } = globalThis[Symbol.for('benchbook.api')];`,
      }));
    },
  };
}

function parseError(cause: unknown, file: string): BenchbookError {
  const first = (cause as BuildFailure).errors?.[0];
  if (!first)
    return new BenchbookError('study', `${file} could not be read as a study: ${sentenceOf(cause)}`, {
      cause,
      place: { file },
    });
  const at = first.location;
  const place = at ? { file: resolve(dirname(file), at.file), line: at.line, column: at.column + 1 } : { file };
  return new BenchbookError('study', `The study does not parse: ${first.text}.`, { place, cause });
}

async function importBundle(
  { code, file, sourceText }: StudyBundle,
  api: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const folder = await mkdtemp(join(tmpdir(), 'benchbook-study-'));
  try {
    const path = join(folder, 'study.mjs');
    await writeFile(path, withPlaces(withAbsoluteSources(code, dirname(file)), dirname(file)));
    (globalThis as Record<symbol, unknown>)[API_KEY] = api;
    return await evaluate(path, { file, sourceText });
  } catch (cause) {
    if (cause instanceof BenchbookError) throw withPlace(cause, { file, sourceText });
    const place = cause instanceof Error ? placeInStack(cause, file) : { file };
    throw new BenchbookError('study', `The study threw while it was loaded: ${sentenceOf(cause)}`, { place, cause });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A module under the limit of a study's functions, with what its top level awaits. */
async function evaluate(path: string, study: CalledStudy): Promise<Readonly<Record<string, unknown>>> {
  try {
    return limited('top level', study, () => createRequire(path)(path) as Record<string, unknown>);
  } catch (cause) {
    if ((cause as { code?: unknown } | null)?.code !== 'ERR_REQUIRE_ASYNC_MODULE') throw cause;
    return await awaited('top level', study, () => import(/* @vite-ignore */ pathToFileURL(path).href));
  }
}

/** Source names in the inline map are relative to the study; the bundle runs from elsewhere, so that they must be absolute. */
function withAbsoluteSources(code: string, directory: string): string {
  return code.replace(
    /(sourceMappingURL=data:application\/json;base64,)([\w+/=]+)/,
    (_whole, head: string, encoded: string) => {
      const map = JSON.parse(Buffer.from(encoded, 'base64').toString('utf8')) as { sources: string[] };
      map.sources = map.sources.map((source) =>
        source.startsWith('benchbook-engine:') ? source : pathToFileURL(resolve(directory, source)).href,
      );
      return head + Buffer.from(JSON.stringify(map)).toString('base64');
    },
  );
}

function definitionOf(exported: Readonly<Record<string, unknown>>, file: string): StudyDefinition {
  const value = exported.default;
  if (value === undefined) {
    throw new BenchbookError('study', 'The study file exports nothing by default.', {
      hint: 'write `export default defineStudy({ … })`',
      place: { file },
    });
  }
  if (typeof value !== 'object' || value === null || !(STUDY_MARK in value)) {
    throw new BenchbookError('study', 'The default export of the study file is not a study.', {
      hint: 'write `export default defineStudy({ … })`',
      place: { file },
    });
  }
  return value as StudyDefinition;
}
