import { totalOf } from './analyze-total.ts';
import {
  isLooseObject,
  type LooseObject,
  type LooseValue,
  numberOf as number,
  only,
  parseLooseJson,
} from './loose-json.ts';

/** What `ANALYZE FORMAT=JSON` of MariaDB says; times in seconds. A member is null where the server does not print it. */
export interface AnalyzeSummary {
  /**
   * `query_block.r_total_time_ms`: the execution as the server timed it, and subqueries that cannot be part of it; of a union the sum of its
   * parts.
   */
  readonly totalSeconds: number | null;
  /** `query_optimization.r_total_time_ms`. */
  readonly optimizationSeconds: number | null;
  /** Sum of `r_table_time_ms` over all tables: reading rows. */
  readonly tableSeconds: number | null;
  /** Sum of `r_other_time_ms` over all tables and of `r_unpack_time_ms` of join buffers: conditions, temporary tables, the rest. */
  readonly otherSeconds: number | null;
  /** Rows read from all tables, temporary ones too: sum of `r_rows` × `r_loops`. */
  readonly rowsRead: number | null;
  /** Sums over the tables' `r_engine_stats`, where only members above 0 are printed; null where no table has the object. */
  readonly engine: EngineSummary | null;
  /** The plan without what was measured or estimated: equal texts are equal plans. */
  readonly outline: string;
  /** What a reader must know about these numbers, each in one sentence. */
  readonly doubts: readonly AnalysisDoubt[];
}

/** `code` is stable, `sentence` is for people. */
export interface AnalysisDoubt {
  readonly code:
    | 'plan-repaired'
    | 'plan-ambiguous'
    | 'plan-part-not-counted'
    | 'plan-part-beside-root'
    | 'plan-rounded'
    | 'plan-not-executed';
  readonly sentence: string;
}

export interface EngineSummary {
  readonly pagesAccessed: number;
  readonly pagesRead: number;
  readonly pagesPrefetched: number;
  readonly pagesUpdated: number;
  readonly readSeconds: number;
}

/**
 * Reads the JSON of `ANALYZE FORMAT=JSON`. Times of the whole are addressed by path, since `query_optimization` has a
 * member of the same name; tables are searched at any depth, because other nodes of the plan may contain them.
 * @throws SyntaxError where the text is no JSON, Error where it has no `query_block`.
 */
export function parseAnalyzeJson(text: string): AnalyzeSummary {
  const { value: root, repairedLines } = parseLooseJson(text);
  const block = isLooseObject(root) ? only(root, 'query_block') : undefined;
  if (!isLooseObject(root) || !isLooseObject(block)) throw new Error('it has no "query_block"');
  const optimization = only(root, 'query_optimization');
  const nodes = [...walk(block)];
  const stats = nodes.flatMap((node) => all(node, 'r_engine_stats').filter(isLooseObject));
  const other = nodes.flatMap((node) => [number(node, 'r_other_time_ms'), number(node, 'r_unpack_time_ms')]);
  const ambiguous = [...new Set(nodes.flatMap(ambiguousNames))];
  const isAmbiguous = (name: string) => ambiguous.includes(name);
  const rows = nodes.flatMap(rowsOf);
  const read = nodes.filter(isRead);
  const isTimed = read.some((node) => number(node, 'r_table_time_ms') !== null);
  const untimed = read.filter((node) => isTimed && number(node, 'r_table_time_ms') === null && !isUnion(node));
  const uncounted = read.filter((node) => number(node, 'r_rows') === null);
  const total = totalOf(block);
  return {
    totalSeconds: secondsOf(total.milliseconds),
    optimizationSeconds: isLooseObject(optimization) ? secondsOf(number(optimization, 'r_total_time_ms')) : null,
    tableSeconds:
      isAmbiguous('r_table_time_ms') || untimed.length > 0
        ? null
        : secondsOf(sumOf(nodes.map((node) => number(node, 'r_table_time_ms')))),
    otherSeconds: isAmbiguous('r_other_time_ms') || untimed.length > 0 ? null : secondsOf(sumOf(other)),
    rowsRead: isAmbiguous('r_rows') || isAmbiguous('r_loops') || uncounted.length > 0 ? null : sumOf(rows),
    engine: stats.length === 0 || stats.some((each) => ambiguousNames(each).length > 0) ? null : engineOf(stats),
    outline: outlineOf(block),
    doubts: [
      ...doubtsOf(repairedLines, ambiguous, nodes),
      ...subqueryDoubts(total.outsideMilliseconds),
      ...partialDoubts(untimed, uncounted),
    ],
  };
}

/**
 * The server prints the mean over the loops with eleven digits: their product is the whole number next to it where the digits
 * suffice for that. A table that was never read has no mean.
 */
function rowsOf(table: LooseObject): readonly number[] {
  if (typeof only(table, 'table_name') !== 'string') return [];
  const mean = number(table, 'r_rows');
  if (mean === null) return [];
  const loops = number(table, 'r_loops') ?? 1;
  const product = mean * loops;
  const isKnown = Math.abs(product) * 1e-10 < 0.5;
  return [isKnown ? Math.round(product) : product];
}

function engineOf(stats: readonly LooseObject[]): EngineSummary {
  // Members that are 0 are left out by the server.
  const sum = (name: string) => stats.reduce((total, each) => total + (number(each, name) ?? 0), 0);
  return {
    pagesAccessed: sum('pages_accessed'),
    pagesRead: sum('pages_read_count'),
    pagesPrefetched: sum('pages_prefetch_read_count'),
    pagesUpdated: sum('pages_updated'),
    readSeconds: secondsOf(sum('pages_read_time_ms'))!,
  };
}

function doubtsOf(
  repairedLines: readonly number[],
  ambiguous: readonly string[],
  nodes: readonly LooseObject[],
): readonly AnalysisDoubt[] {
  const doubts: AnalysisDoubt[] = [];
  if (repairedLines.length > 0) {
    const lines = `${repairedLines.length === 1 ? 'line' : 'lines'} ${repairedLines.slice(0, 5).join(', ')}${repairedLines.length > 5 ? ' …' : ''}`;
    const sentence = `The server's analysis is not valid JSON in ${lines}, mostly because it prints texts without escaping them. Benchbook repaired it to read the numbers; the kept text is as the server printed it.`;
    doubts.push({ code: 'plan-repaired', sentence });
  }
  if (ambiguous.length > 0) {
    const sentence = `The server's analysis gives two values for ${ambiguous.join(', ')} of the same part of the plan: sums over them are not reported.`;
    doubts.push({ code: 'plan-ambiguous', sentence });
  }
  const early = nodes.filter(
    (node) => /^(const|system)$/.test(String(only(node, 'access_type'))) && number(node, 'r_loops') === 0,
  );
  if (early.length > 0) {
    const names = early.map((node) => String(only(node, 'table_name'))).join(', ');
    const sentence = `The optimizer read ${names} before the execution: neither its rows nor its time are in the analysis.`;
    doubts.push({ code: 'plan-part-not-counted', sentence });
  }
  if (nodes.some((node) => isLooseObject(only(node, 'union_result')) && number(node, 'r_total_time_ms') === null)) {
    const sentence =
      'The server prints no time for the whole of a union: the time is the sum of its parts, without the reading of its temporary table.';
    doubts.push({ code: 'plan-part-not-counted', sentence });
  }
  return doubts;
}

function subqueryDoubts(milliseconds: number): readonly AnalysisDoubt[] {
  if (milliseconds === 0) return [];
  const sentence = `The server's time of the whole plan leaves out subqueries that it executed before: ${secondsOf(milliseconds)} s were added to the time.`;
  return [{ code: 'plan-part-beside-root', sentence }];
}

function partialDoubts(untimed: readonly LooseObject[], uncounted: readonly LooseObject[]): readonly AnalysisDoubt[] {
  const names = (nodes: readonly LooseObject[]) => nodes.map((node) => String(only(node, 'table_name'))).join(', ');
  const sentences = [
    ...(untimed.length === 0 ? [] : [`The server prints no time for reading ${names(untimed)}.`]),
    ...(uncounted.length === 0 ? [] : [`The server does not count the rows that it reads from ${names(uncounted)}.`]),
  ];
  return sentences.map((sentence) => ({
    code: 'plan-part-not-counted',
    sentence: `${sentence} Sums over all tables are not reported.`,
  }));
}

/** The temporary table of a union, whose time no server prints: a doubt of its own says so. */
function isUnion(node: LooseObject): boolean {
  return String(only(node, 'table_name')).startsWith('<union');
}

/** Whether the server read a table, as its loops, rows or times show: 10.5 prints no time for tables that it changes, and no server counts the rows of `index_subquery`. */
function isRead(node: LooseObject): boolean {
  if (typeof only(node, 'table_name') !== 'string') return false;
  return number(node, 'r_rows') !== null || (number(node, 'r_table_time_ms') ?? 0) > 0;
}

function* walk(node: LooseObject): Generator<LooseObject> {
  yield node;
  for (const [, child] of childrenOf(node)) yield* walk(child);
}

function childrenOf(node: LooseObject): readonly (readonly [string, LooseObject])[] {
  return node.members.flatMap(([name, value]) => {
    if (name === 'r_engine_stats') return [];
    const values = Array.isArray(value) ? (value as readonly LooseValue[]) : [value];
    return values.filter(isLooseObject).map((each) => [name, each] as const);
  });
}

/** "temporary_table(tp:ALL[prest])": structure, tables, access and keys; numbers are left out. */
function outlineOf(node: LooseObject): string {
  const parts = childrenOf(node).map(([name, child]) => {
    const inner = outlineOf(child);
    if (name === 'table') return tableOf(child, inner);
    if (name === 'nested_loop' || name === 'query_block') return inner;
    return inner === '' ? name : `${name}(${inner})`;
  });
  const message = only(node, 'message');
  return [...(typeof message === 'string' ? [message] : []), ...parts].filter((part) => part !== '').join(', ');
}

function tableOf(table: LooseObject, inner: string): string {
  const name = only(table, 'table_name');
  if (typeof name !== 'string') return inner;
  const used = only(table, 'key');
  const key = typeof used === 'string' ? ` by ${used}` : '';
  const within = only(table, 'partitions');
  const partitions = Array.isArray(within) ? ` [${within.join(' ')}]` : '';
  const covering = only(table, 'using_index') === true ? ' index only' : '';
  const access = only(table, 'access_type') ?? '';
  return `${name} ${String(access)}${key}${covering}${partitions}${inner === '' ? '' : ` (${inner})`}`;
}

function all(node: LooseObject, name: string): readonly LooseValue[] {
  return node.members.filter(([key]) => key === name).map(([, value]) => value);
}

/** Names of measured numbers that one object holds twice with different values: a text in it may look like a member. */
function ambiguousNames(node: LooseObject): readonly string[] {
  const first = new Map<string, number>();
  return node.members.flatMap(([name, value]) => {
    if (typeof value !== 'number') return [];
    const before = first.get(name);
    if (before === undefined) first.set(name, value);
    return before === undefined || before === value ? [] : [name];
  });
}

function secondsOf(milliseconds: number | null): number | null {
  // A division by 1000 must not add digits that the server did not print.
  return milliseconds === null ? null : Number((milliseconds / 1000).toPrecision(12));
}

/** Of what is there; null where nothing is. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
