import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compileFunction } from 'node:vm';
import type * as Vega from 'vega';
import type { expressionInterpreter as Interpreter } from 'vega-interpreter';
import type * as VegaLite from 'vega-lite';
import { BenchbookError } from '../../lib/errors.ts';

/*
 * Vega, Vega-Lite and the expression interpreter from the single files that their packages ship for browsers: imported as
 * modules they are 300 files, which cost more time than drawing. A page's charts run the very same code (`vegaScript`).
 */

export interface VegaRuntime {
  readonly vega: typeof Vega;
  readonly vegaLite: typeof VegaLite;
  readonly expressionInterpreter: typeof Interpreter;
}

/** The chart libraries, loaded when the first figure is drawn. */
export function vegaRuntime(): VegaRuntime {
  loaded ??= load();
  return loaded;
}

/** Vega and the interpreter as one classic script for a page, where they are `vega` and `vegaInterpreter`. */
export function vegaScript(): string {
  const interpreter = interpreterBody((name) => `globalThis.vegaInterpreter = ${name};`);
  return `${textOf(VEGA).replace(/\n\/\/# sourceMappingURL.*$/, '')}\n(() => {\n${interpreter}\n})();`;
}

let loaded: VegaRuntime | undefined;

const VEGA = beside('vega', 'vega.min.js');
const VEGA_LITE = beside('vega-lite', 'vega-lite.min.js');
const INTERPRETER = fileURLToPath(import.meta.resolve('vega-interpreter'));

function load(): VegaRuntime {
  const vega = run<typeof Vega>(VEGA, () => {
    throw new BenchbookError('render', 'This version of vega is not one single file.');
  });
  const vegaLite = run<typeof VegaLite>(VEGA_LITE, () => vega);
  const expressionInterpreter = compileFunction(
    interpreterBody((name) => `return ${name};`),
    ['vega'],
    { filename: INTERPRETER },
  )(vega) as typeof Interpreter;
  return { vega, vegaLite, expressionInterpreter };
}

/** Runs a file laid out for all loaders as a CommonJS module. */
function run<T>(file: string, require: (name: string) => unknown): T {
  const exports = {};
  compileFunction(textOf(file), ['exports', 'module', 'require'], { filename: file })(exports, { exports }, require);
  return exports as T;
}

/** The interpreter ships as a module alone: without its imports and exports it is the body of a function. */
function interpreterBody(exported: (name: string) => string): string {
  const body = textOf(INTERPRETER)
    .replace(/^import \{([^}]*)\} from 'vega-util';$/m, 'const {$1} = vega;')
    .replace(/^export \{ (\w+) as expressionInterpreter \};$/m, (_, name: string) => exported(name))
    .replace(/^\/\/# sourceMappingURL.*$/m, '');
  if (!/^(?:import|export)/m.test(body)) return body;
  throw new BenchbookError('render', 'This version of vega-interpreter is not laid out as expected.');
}

function beside(packageName: string, file: string): string {
  return path.join(path.dirname(fileURLToPath(import.meta.resolve(packageName))), file);
}

function textOf(file: string): string {
  return readFileSync(file, 'utf8');
}
