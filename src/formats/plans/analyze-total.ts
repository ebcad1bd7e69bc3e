import { isLooseObject, type LooseObject, type LooseValue, numberOf, only } from './loose-json.ts';

/** Time of a query block. */
export interface BlockTotal {
  /** Null where the server does not print it. */
  readonly milliseconds: number | null;
  /** The part of it that the block's own time cannot contain. */
  readonly outsideMilliseconds: number;
}

/**
 * The block's own time, and that of subqueries which took longer than it has beside reading its tables: the server executes what does not
 * depend on the outer rows while it optimizes. A union has no time of its own: it is the blocks that it is made of, and unknown
 * where one of them is. A block without tables is its subqueries.
 */
export function totalOf(block: LooseObject): BlockTotal {
  const own = numberOf(block, 'r_total_time_ms');
  const union = only(block, 'union_result');
  if (own === null && isLooseObject(union)) return summed(blocksOf(only(union, 'query_specifications')).map(totalOf));
  const subqueries = blocksOf(only(block, 'subqueries')).map(totalOf);
  if (own === null) {
    const isWithoutTable = isLooseObject(only(block, 'table')) && subqueries.length > 0;
    const { milliseconds } = summed(subqueries);
    return isWithoutTable && milliseconds !== null ? { milliseconds, outsideMilliseconds: milliseconds } : UNKNOWN;
  }
  let left = Math.max(0, own - tableTime(block));
  const known = subqueries.map(({ milliseconds }) => milliseconds ?? 0).sort((a, b) => b - a);
  const beside = known.filter((milliseconds) => {
    const fits = milliseconds <= left;
    if (fits) left -= milliseconds;
    return !fits;
  });
  const outsideMilliseconds = beside.reduce((sum, each) => sum + each, 0);
  return { milliseconds: own + outsideMilliseconds, outsideMilliseconds };
}

const UNKNOWN: BlockTotal = { milliseconds: null, outsideMilliseconds: 0 };

function summed(parts: readonly BlockTotal[]): BlockTotal {
  if (parts.length === 0 || parts.some(({ milliseconds }) => milliseconds === null)) return UNKNOWN;
  const sum = (of: (part: BlockTotal) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    milliseconds: sum((part) => part.milliseconds!),
    outsideMilliseconds: sum((part) => part.outsideMilliseconds),
  };
}

function blocksOf(parts: LooseValue | undefined): readonly LooseObject[] {
  if (!Array.isArray(parts)) return [];
  return (parts as readonly LooseValue[]).flatMap((part) => {
    const block = isLooseObject(part) ? only(part, 'query_block') : undefined;
    // A subquery may stand below what keeps its results.
    if (isLooseObject(block)) return [block];
    return isLooseObject(part) ? part.members.flatMap(([, value]) => blocksOf([value])) : [];
  });
}

/** Of reading the block's own tables, in which no subquery of it runs. */
function tableTime(node: LooseObject): number {
  return node.members.reduce((sum, [name, value]) => {
    if (name === 'r_table_time_ms' && typeof value === 'number') return sum + value;
    if (name === 'subqueries' || name === 'query_block') return sum;
    const inner = Array.isArray(value) ? (value as readonly LooseValue[]) : [value];
    return inner.filter(isLooseObject).reduce((total, each) => total + tableTime(each), sum);
  }, 0);
}
