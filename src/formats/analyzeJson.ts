/** What `ANALYZE FORMAT=JSON` of MariaDB says; times in seconds. A member is null where the server does not print it. */
export interface AnalyzeSummary {
  /** `query_block.r_total_time_ms`: the execution as the server timed it. */
  readonly totalSeconds: number | null;
  /** `query_optimization.r_total_time_ms`. */
  readonly optimizationSeconds: number | null;
  /** Sum of `r_table_time_ms` over all tables: reading rows. */
  readonly tableSeconds: number | null;
  /** Sum of `r_other_time_ms` over all tables: conditions, temporary tables, the rest. */
  readonly otherSeconds: number | null;
  /** Rows read from all tables: sum of `r_rows` × `r_loops`. */
  readonly rowsRead: number | null;
  /** Sums over the tables' `r_engine_stats`, where only members above 0 are printed; null where no table has the object. */
  readonly engine: EngineSummary | null;
  /** The plan without what was measured or estimated: equal texts are equal plans. */
  readonly outline: string;
}

export interface EngineSummary {
  readonly pagesAccessed: number;
  readonly pagesRead: number;
  readonly pagesPrefetched: number;
  readonly pagesUpdated: number;
  readonly readSeconds: number;
}

type Node = Readonly<Record<string, unknown>>;

/**
 * Reads the JSON of `ANALYZE FORMAT=JSON`. Times of the whole are addressed by path, since `query_optimization` has a
 * member of the same name; tables are looked for at any depth, since they stand below whatever the plan needs.
 * @throws SyntaxError where the text is no JSON, Error where it has no `query_block`.
 */
export function parseAnalyzeJson(text: string): AnalyzeSummary {
  const root = JSON.parse(text) as Node;
  const block = root.query_block;
  if (!isNode(block)) throw new Error('it has no "query_block"');
  const nodes = [...walk(block)];
  const rows = nodes
    .filter((node) => typeof node.table_name === 'string' && typeof node.r_rows === 'number')
    .map((node) => (node.r_rows as number) * (typeof node.r_loops === 'number' ? node.r_loops : 1));
  const stats = nodes.flatMap((node) => (isNode(node.r_engine_stats) ? [node.r_engine_stats] : []));
  return {
    totalSeconds: totalOf(block),
    optimizationSeconds: isNode(root.query_optimization) ? secondsOf(root.query_optimization.r_total_time_ms) : null,
    tableSeconds: sumOf(nodes.map((node) => secondsOf(node.r_table_time_ms))),
    otherSeconds: sumOf(nodes.map((node) => secondsOf(node.r_other_time_ms))),
    rowsRead: sumOf(rows),
    engine: stats.length === 0 ? null : engineOf(stats),
    outline: outlineOf(block),
  };
}

/** The block's own time; a union's is that of the blocks below it. */
function totalOf(node: Node): number | null {
  const own = secondsOf(node.r_total_time_ms);
  if (own !== null) return own;
  return sumOf(childrenOf(node).map(([, child]) => totalOf(child)));
}

function engineOf(stats: readonly Node[]): EngineSummary {
  // Members that are 0 are left out by the server.
  const sum = (name: string) =>
    stats.reduce((total, each) => total + (typeof each[name] === 'number' ? each[name] : 0), 0);
  return {
    pagesAccessed: sum('pages_accessed'),
    pagesRead: sum('pages_read_count'),
    pagesPrefetched: sum('pages_prefetch_read_count'),
    pagesUpdated: sum('pages_updated'),
    readSeconds: sum('pages_read_time_ms') / 1000,
  };
}

function* walk(node: Node): Generator<Node> {
  yield node;
  for (const [, child] of childrenOf(node)) yield* walk(child);
}

function childrenOf(node: Node): readonly (readonly [string, Node])[] {
  return Object.entries(node).flatMap(([name, value]) => {
    if (name === 'r_engine_stats') return [];
    if (Array.isArray(value)) return value.filter(isNode).map((each) => [name, each] as const);
    return isNode(value) ? [[name, value] as const] : [];
  });
}

/** "temporary_table(tp:ALL[prest])": structure, tables, access and keys; numbers are left out. */
function outlineOf(node: Node): string {
  const parts = childrenOf(node).map(([name, child]) => {
    const inner = outlineOf(child);
    if (name === 'table') return tableOf(child, inner);
    if (name === 'nested_loop' || name === 'query_block') return inner;
    return inner === '' ? name : `${name}(${inner})`;
  });
  const message = typeof node.message === 'string' ? [node.message] : [];
  return [...message, ...parts].filter((part) => part !== '').join(', ');
}

function tableOf(table: Node, inner: string): string {
  if (typeof table.table_name !== 'string') return inner;
  const key = typeof table.key === 'string' ? ` by ${table.key}` : '';
  const partitions = Array.isArray(table.partitions) ? ` [${table.partitions.join(' ')}]` : '';
  const covering = table.using_index === true ? ' index only' : '';
  return `${table.table_name} ${String(table.access_type ?? '')}${key}${covering}${partitions}${inner === '' ? '' : ` (${inner})`}`;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function secondsOf(milliseconds: unknown): number | null {
  // A division by 1000 must not add digits that the server did not print.
  return typeof milliseconds === 'number' ? Number((milliseconds / 1000).toPrecision(12)) : null;
}

/** Of what is there; null where nothing is. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((total, value) => total + value, 0);
}
