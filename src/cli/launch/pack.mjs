// What a package ships instead of its sources: compiled files and their types. `npm pack` calls it.
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from './compile.mjs';

const project = fileURLToPath(new URL('../../..', import.meta.url));
const dist = join(project, 'dist');

rmSync(dist, { recursive: true, force: true });
await compile(dist);
const tsc = createRequire(import.meta.url).resolve('typescript/lib/tsc.js');
execFileSync(process.execPath, [tsc, '--project', join(project, 'tsconfig.pack.json')], { stdio: 'inherit' });
