/** What `EXPLAIN ANALYZE` of MySQL 8 and later says in its tree format; times in seconds. */
export interface ExplainAnalyzeSummary {
  /** When the root had handed over its last row, times its loops; null where the root was never executed. */
  readonly totalSeconds: number | null;
  /** Time up to the last row of the nodes without children, which read tables: times their loops, summed. */
  readonly tableSeconds: number | null;
  /** Rows of the nodes without children, times their loops. */
  readonly rowsRead: number | null;
  /** Rows of the root. */
  readonly rows: number | null;
  /** The tree without costs, rows and times: equal texts are equal plans. */
  readonly outline: string;
}

interface Line {
  readonly depth: number;
  readonly text: string;
  /** Milliseconds for one loop. */
  readonly lastRowMs: number | null;
  readonly rows: number;
  readonly loops: number;
}

/**
 * Reads the tree: lines `-> what it does (cost=… rows=…) (actual time=first..last rows=r loops=l)`, or `(never executed)`.
 * @throws Error where there is no such line.
 */
export function parseExplainAnalyze(text: string): ExplainAnalyzeSummary {
  const lines = text.split('\n').flatMap(lineOf);
  const [root] = lines;
  if (root === undefined) throw new Error('it has no line with "->"');
  const leaves = lines.filter((line, index) => (lines[index + 1]?.depth ?? -1) <= line.depth);
  const ran = leaves.filter((line) => line.lastRowMs !== null);
  return {
    totalSeconds: root.lastRowMs === null ? null : (root.lastRowMs * root.loops) / 1000,
    tableSeconds: ran.length === 0 ? null : ran.reduce((sum, line) => sum + line.lastRowMs! * line.loops, 0) / 1000,
    rowsRead: ran.length === 0 ? null : ran.reduce((sum, line) => sum + line.rows * line.loops, 0),
    rows: root.lastRowMs === null ? null : root.rows * root.loops,
    outline: lines.map((line) => `${' '.repeat(line.depth)}${line.text}`).join('\n'),
  };
}

function lineOf(line: string): Line[] {
  const match = /^(\s*)-> (.*)$/.exec(line);
  if (match === null) return [];
  const actual = /\(actual time=([\d.e+-]+?)\.\.([\d.e+-]+) rows=([\d.e+-]+) loops=(\d+)\)/.exec(line);
  const what = match[2]!.replace(/\s*\((?:cost=|actual time=|never executed)[^)]*\)/g, '').trim();
  return [
    {
      depth: Math.floor(match[1]!.length / 4),
      text: what,
      lastRowMs: actual === null ? null : Number(actual[2]),
      rows: actual === null ? 0 : Number(actual[3]),
      loops: actual === null ? 0 : Number(actual[4]),
    },
  ];
}
