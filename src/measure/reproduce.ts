import type { ScriptStatement } from './kinds/define.ts';
import { kindOf } from './kinds/list.ts';

/**
 * The statements by which a script without Benchbook repeats a measurement: none where starting the server is enough, null
 * where a script cannot repeat it. `params` are those of the journal, and `kind` may be one that this version does not know.
 */
export function scriptStatements(
  kind: string,
  params: Readonly<Record<string, unknown>>,
): readonly ScriptStatement[] | null {
  return kindOf(kind)?.reproduce?.(params) ?? null;
}
