import { createHash } from 'node:crypto';
import { type Node, type ObjectExpression, type Property, parse } from 'acorn';
import { build } from 'esbuild';

/**
 * Parts of a study that decide what is reported or how often, not how it is measured; and `setup` and factors, whose results
 * and values stand in a trial's key by themselves, so that a changed option of one level does not change them all.
 */
const NOT_MEASURING: readonly string[] = [
  'title',
  'tickets',
  'variants',
  'setup',
  'order',
  'limits',
  'replicates',
  'profiles',
  'threshold',
  'report',
];

/**
 * SHA-256 of a study's measuring code: its bundle without the parts that only plan and report use, tree-shaken and minified, so that
 * comments, layout, prose and helpers of the report alone change nothing, while a helper or a text file that a measurement uses does.
 *
 * @param bundle the study as one ES module
 */
export async function measuringCodeHash(bundle: string): Promise<string> {
  const result = await build({
    stdin: { contents: withoutReport(bundle), loader: 'js' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    treeShaking: true,
    // Keep names: shortened ones would depend on which code was removed.
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return createHash('sha256').update(result.outputFiles[0]!.text).digest('hex');
}

function withoutReport(bundle: string): string {
  const code = bundle.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  const study = studyObject(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }));
  if (!study) return code;
  const dropped = study.properties.filter(
    (each): each is Property => each.type === 'Property' && NOT_MEASURING.includes(nameOf(each)),
  );
  return dropped.reduceRight((text, { start, end }) => `${text.slice(0, start)}...null${text.slice(end)}`, code);
}

/** The argument of the call of `defineStudy`, wherever it stands. */
function studyObject(node: Node): ObjectExpression | null {
  const call = node as Node & { callee?: { name?: string }; arguments?: readonly Node[] };
  if (node.type === 'CallExpression' && /^defineStudy\d*$/.test(call.callee?.name ?? '')) {
    const [argument] = call.arguments ?? [];
    if (argument?.type === 'ObjectExpression') return argument as ObjectExpression;
  }
  for (const child of Object.values(node)) {
    for (const each of Array.isArray(child) ? child : [child]) {
      if (typeof each !== 'object' || each === null || typeof each.type !== 'string') continue;
      const found = studyObject(each as Node);
      if (found) return found;
    }
  }
  return null;
}

function nameOf(property: Property): string {
  const key = property.key as { name?: string; value?: unknown };
  return key.name ?? String(key.value);
}
