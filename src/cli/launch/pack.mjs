// What a package ships instead of its sources: compiled files, and the types of the study author's API. `npm pack` calls it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const dist = join(project, 'dist');

rmSync(dist, { recursive: true, force: true });
await compile(dist);
const all = mkdtempSync(join(dist, 'all-types-'));
const tsc = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
execFileSync(process.execPath, [tsc, '--project', join(project, 'tsconfig.pack.json'), '--outDir', all], {
  stdio: 'inherit',
});
copyTypes('index.d.ts');
rmSync(all, { recursive: true });

/** Copies a file of types, and the files that it imports. TypeScript writes all files that it read, and keeps the endings of sources. */
function copyTypes(file, done = new Set()) {
  if (done.has(file)) return;
  done.add(file);
  const text = readFileSync(join(all, file), 'utf8').replaceAll(
    /(from |import\()(["'])(\.[^"']*)\.ts\2/g,
    (_, word, quote, path) => {
      copyTypes(join(dirname(file), `${path}.d.ts`), done);
      return `${word}${quote}${path}.js${quote}`;
    },
  );
  const target = join(dist, 'types', file);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
