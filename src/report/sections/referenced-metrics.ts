import type { Draft } from '../../draft/types.ts';
import { allBlocks, textsOf } from '../../draft/walk.ts';
import { expressionsOf } from '../tables/values.ts';

/** The metrics that a report speaks of, in the order of the study; all where it speaks of none. */
export function referencedMetrics(draft: Draft): readonly string[] {
  const referenced = new Set(allBlocks(draft.blocks).flatMap(metricsIn));
  const main = Object.keys(draft.metrics).filter((metric) => referenced.has(metric));
  return main.length > 0 ? main : Object.keys(draft.metrics);
}

function metricsIn(block: Draft['blocks'][number]): readonly string[] {
  const written = textsOf(block)
    .flat()
    .filter((part) => typeof part !== 'string');
  const expressions = [...written, ...(block.type === 'claim' ? expressionsOf(block.check) : [])];
  const shown =
    block.type === 'figure' && 'metric' in block ? [block.metric] : block.type === 'table' ? block.metrics : [];
  return [...shown, ...expressions.flatMap((part) => ('metric' in part ? [part.metric] : []))];
}
