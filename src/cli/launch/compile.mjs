// The engine's compiled form. Plain JavaScript, since it runs before anything is compiled.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeOld } from './old-folders.mjs';

const project = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

const ENTRIES = {
  main: 'src/cli/main.ts',
  index: 'src/index.ts',
  'own-code-program': 'src/cli/own-code-program.ts',
  'canary-program': 'src/host/readings/canary-program.ts',
};

/**
 * The folder with the compiled form of this checkout, which is compiled first where the sources changed. The folder stays as long as
 * this process lives.
 *
 * @throws NotInstalled without node modules
 */
export async function compiledFolder() {
  const key = keyOf();
  const shared = join(realpathSync(join(project, 'node_modules')), '.cache/benchbook');
  if (hold(join(shared, key))) return join(shared, key);
  try {
    return await compileInto(shared, key, true);
  } catch (error) {
    if (!['EACCES', 'EROFS', 'EPERM'].includes(error?.code)) throw error;
  }
  const own = privateFolder();
  return hold(join(own, key)) ? join(own, key) : await compileInto(own, key, false);
}

/** The node modules are not there, or not all of them. */
export class NotInstalled extends Error {}

/** Compiles the sources into a folder: programs, the API, and the parts that they share. */
export async function compile(folder, define = {}) {
  const { build, stop } = await esbuild();
  await build({
    entryPoints: ENTRIES,
    absWorkingDir: project,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'part-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'linked',
    sourcesContent: false,
    // The engine's own settings, whatever tsconfig.json lies above.
    tsconfigRaw: { compilerOptions: { target: 'es2023', strict: true, verbatimModuleSyntax: true } },
    define,
    logLevel: 'silent',
  }).finally(stop);
}

async function compileInto(parent, key, isShared) {
  mkdirSync(parent, { recursive: true });
  const folder = join(parent, key);
  const unfinished = mkdtempSync(join(parent, `${key}.`));
  try {
    await compile(unfinished, { BENCHBOOK_PACKAGE: JSON.stringify(project) });
    // Node.js looks for packages from here upward.
    if (!isShared) symlinkSync(join(project, 'node_modules'), join(unfinished, 'node_modules'));
    chmodSync(unfinished, 0o777 & ~process.umask());
    renameSync(unfinished, folder);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    // Another process was faster.
    if (!['ENOTEMPTY', 'EEXIST'].includes(error?.code)) throw error;
  }
  hold(folder);
  removeOld(parent, key);
  return folder;
}

/** Keeps a file of the folder open: by this `removeOld` sees that a living process may still load from it. */
function hold(folder) {
  try {
    openSync(join(folder, 'main.mjs'), 'r');
    return true;
  } catch {
    return false;
  }
}

/** Names the sources as they are now, and what compiles and runs them. */
function keyOf() {
  const hash = createHash('sha256');
  const add = (...parts) => hash.update(`${parts.join('\0')}\n`);
  add(project, process.version, esbuildVersion());
  for (const path of ['package.json', ...filesBelow('src')]) {
    const { mtimeMs, size } = statSync(join(project, path));
    add(path, mtimeMs, size);
  }
  return hash.digest('hex').slice(0, 24);
}

function filesBelow(folder) {
  return readdirSync(join(project, folder), { withFileTypes: true })
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .flatMap((each) => (each.isDirectory() ? filesBelow(`${folder}/${each.name}`) : [`${folder}/${each.name}`]));
}

function esbuildVersion() {
  try {
    return JSON.parse(readFileSync(join(project, 'node_modules/esbuild/package.json'), 'utf8')).version;
  } catch {
    throw new NotInstalled();
  }
}

async function esbuild() {
  try {
    return await import('esbuild');
  } catch (error) {
    throw error?.code === 'ERR_MODULE_NOT_FOUND' ? new NotInstalled() : error;
  }
}

/** For node modules that this account cannot write. What another account has put there is never run. */
function privateFolder() {
  const folder = join(tmpdir(), `benchbook-compiled-${process.getuid?.() ?? ''}`);
  if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = lstatSync(folder);
  const isOwn = found.isDirectory() && found.uid === (process.getuid?.() ?? found.uid) && (found.mode & 0o022) === 0;
  return isOwn ? folder : mkdtempSync(join(tmpdir(), 'benchbook-compiled-'));
}
