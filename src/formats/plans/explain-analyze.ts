import type { AnalysisDoubt } from './analyze-json.ts';
import { fixedNumber, type PrintedNumber, shortNumber } from './printed-number.ts';

/** What `EXPLAIN ANALYZE` of MySQL 8 and later says in its tree format; times in seconds. */
export interface ExplainAnalyzeSummary {
  /**
   * The time at which the root returned its last row, times its loops, and the time of subqueries that cannot be part of it; null where
   * the root was never executed.
   */
  readonly totalSeconds: number | null;
  /** Time up to the last row of the nodes without children, which read tables: times their loops, summed. */
  readonly tableSeconds: number | null;
  /** Rows of the nodes without children, times their loops. */
  readonly rowsRead: number | null;
  /** Rows of the root. */
  readonly rows: number | null;
  /** The step within which each number is known: MySQL prints three digits. 0 for a number that is exact. */
  readonly resolution: { readonly totalSeconds: number; readonly tableSeconds: number; readonly rowsRead: number };
  /** The tree without costs, rows and times: equal texts are equal plans. */
  readonly outline: string;
  /** False where the server executed no part of the statement. */
  readonly isExecuted: boolean;
  /** What a reader must know about these numbers, each in one sentence. */
  readonly doubts: readonly AnalysisDoubt[];
}

interface Figures {
  /** Milliseconds for one loop. */
  readonly first: PrintedNumber;
  readonly last: PrintedNumber;
  readonly rows: PrintedNumber;
  readonly loops: PrintedNumber;
}

interface Node {
  readonly depth: number;
  readonly text: string;
  /** Null where the server never executed the node, or does not time nodes of its kind. */
  readonly figures: Figures | null;
  readonly isNever: boolean;
  readonly children: Node[];
}

/** A sum of printed numbers, with the sum of their steps. */
interface Known {
  readonly value: number;
  readonly step: number;
}

const NOTHING: Known = { value: 0, step: 0 };

/** Where MySQL has no plan to run. */
const NOT_EXECUTABLE = '<not executable by iterator executor>';
/** A subquery is printed as a node without figures above its own root. */
const SUBQUERY = /^Select #\d+ \(subquery in /;
/** The server reads these before it executes the plan. */
const BEFORE_EXECUTION = 'Rows fetched before execution';
const WRITES = /^(?:Insert into|Replace into|Update|Delete from) /;

/**
 * Reads the tree: lines `-> what it does (cost=… rows=…) (actual time=first..last rows=r loops=l)`, or `(never executed)`.
 * @throws Error where there is no such line.
 */
export function parseExplainAnalyze(text: string): ExplainAnalyzeSummary {
  const nodes = nodesOf(text);
  const roots = treesOf(nodes);
  const [root] = roots;
  if (root === undefined) {
    if (text.includes(NOT_EXECUTABLE)) return notExecuted(NOT_EXECUTABLE);
    throw new Error('it has no line with "->"');
  }
  const ran = nodes.filter((node) => node.children.length === 0 && node.figures !== null && readsTable(node));
  const isExecuted = nodes.some((node) => node.figures !== null);
  const outline = nodes.map((node) => `${' '.repeat(node.depth)}${node.text}`).join('\n');
  if (!isExecuted) return notExecuted(outline);
  const outside = subqueriesOutside(roots);
  const total = root.figures === null ? null : summed([timeOf(root), ...outside.map(timeOf)]);
  const tables = summed(ran.map(timeOf));
  const rows = summed(ran.map(rowsOf));
  return {
    totalSeconds: total === null ? null : secondsOf(total.value),
    tableSeconds: ran.length === 0 ? null : secondsOf(tables.value),
    // "Count rows in t" returns one row, the count.
    rowsRead: ran.length === 0 || nodes.some(countsRows) ? null : rows.value,
    rows: root.figures === null ? null : rowsOf(root).value,
    resolution: {
      totalSeconds: secondsOf(total?.step ?? 0),
      tableSeconds: secondsOf(tables.step),
      rowsRead: rows.step,
    },
    outline,
    isExecuted,
    doubts: doubtsOf(root, nodes, outside, ran.length === 0 ? NOTHING : rows),
  };
}

function notExecuted(outline: string): ExplainAnalyzeSummary {
  const none = { totalSeconds: null, tableSeconds: null, rowsRead: null, rows: null };
  const resolution = { totalSeconds: 0, tableSeconds: 0, rowsRead: 0 };
  return { ...none, resolution, outline, isExecuted: false, doubts: [] };
}

function doubtsOf(root: Node, nodes: readonly Node[], outside: readonly Node[], rows: Known): readonly AnalysisDoubt[] {
  const doubts: AnalysisDoubt[] = [];
  const say = (code: AnalysisDoubt['code'], sentence: string) => doubts.push({ code, sentence });
  if (WRITES.test(root.text)) {
    const what = root.figures === null ? 'It timed only' : 'It executed only';
    say('plan-not-executed', `MySQL's EXPLAIN ANALYZE changes no data. ${what} the part of the statement that reads.`);
  }
  const skipped = nodes.filter((node) => node.text.includes(NOT_EXECUTABLE));
  if (skipped.length > 0) say('plan-not-executed', 'MySQL did not execute a part of the statement.');
  if (outside.length > 0) {
    const names = outside.map((node) => `"${node.text}"`).join(', ');
    const seconds = secondsOf(summed(outside.map(timeOf)).value);
    say(
      'plan-part-beside-root',
      `MySQL's time of the whole plan leaves out ${names}: ${seconds} s were added to the time.`,
    );
  }
  if (nodes.some(isBefore)) {
    const sentence =
      'MySQL fetched rows before it executed the plan (constants, tables of which one row can match): neither their number nor their time is counted.';
    say('plan-part-not-counted', sentence);
  }
  if (nodes.some(countsRows)) {
    const sentence =
      'MySQL counted the rows of a table without saying how many it read: the rows read are not reported.';
    say('plan-part-not-counted', sentence);
  } else if (rows.step > 0) {
    const sentence = `MySQL prints row counts rounded: the rows read are known to ±${trimmed(rows.step / 2)}.`;
    say('plan-rounded', sentence);
  }
  return doubts;
}

/**
 * Subqueries whose time the root's cannot contain. MySQL prints a subquery below the node that uses it, or behind the whole tree, and says of
 * neither when it ran: one that runs once may do so before the execution, one in the select list while rows are sent. A
 * node contains a subquery where it took at least that much time beside its other children.
 */
function subqueriesOutside(roots: readonly Node[]): readonly Node[] {
  const main = roots.filter((node) => !SUBQUERY.test(node.text));
  const behind = roots.filter((node) => SUBQUERY.test(node.text));
  // What reads a table computes no expression of the select list.
  const inMain = main.flatMap(withoutSubqueries).filter((node) => node.children.length > 0);
  const pools = inMain.map((node) => ownTime(node, 'last')).sort((a, b) => b.value - a.value);
  const found = outside(behind, pools[0] ?? NOTHING);
  const search = (node: Node): readonly Node[] => {
    const own = node.children.filter((child) => SUBQUERY.test(child.text));
    const once = own.filter(isOnce);
    const often = own.filter((child) => !isOnce(child));
    return [
      ...outside(once, ownTime(node, 'first')),
      ...outside(often, ownTime(node, 'last')),
      ...node.children.flatMap(search),
    ];
  };
  return [...found, ...roots.flatMap(search)];
}

/** Those of the subqueries for which the time is not long enough, the longest first. */
function outside(subqueries: readonly Node[], time: Known): readonly Node[] {
  let left = time.value;
  return [...subqueries]
    .sort((a, b) => timeOf(b).value - timeOf(a).value)
    .filter((node) => {
      const { value, step } = timeOf(node);
      // Half a step of each; a little more, since rounding errors add up along the tree.
      const fits = value <= left + step + time.step + value * 0.005;
      if (fits) left = Math.max(0, left - value);
      return !fits && value > 0;
    });
}

function isOnce(subquery: Node): boolean {
  return subquery.text.includes('run only once') && subquery.children.every((child) => loopsOf(child) <= 1);
}

const loopsOf = (node: Node): number => node.figures?.loops.value ?? 0;

function withoutSubqueries(node: Node): readonly Node[] {
  return [node, ...node.children.filter((child) => !SUBQUERY.test(child.text)).flatMap(withoutSubqueries)];
}

/** What a node took up to its first or last row without the nodes below it that are no subqueries. */
function ownTime(node: Node, until: 'first' | 'last'): Known {
  const children = node.children.filter((child) => !SUBQUERY.test(child.text));
  const own = timeUntil(until, node);
  const below = summed(children.map((child) => timeUntil(until, child)));
  return { value: Math.max(0, own.value - below.value), step: own.step + below.step };
}

function timeOf(node: Node): Known {
  return timeUntil('last', node);
}

/** Milliseconds over all loops; of a node without figures those of its children. */
function timeUntil(until: 'first' | 'last', node: Node): Known {
  if (node.figures === null) return summed(node.children.map((child) => timeUntil(until, child)));
  const { value, step } = node.figures[until];
  const loops = node.figures.loops.value;
  return { value: value * loops, step: step * loops };
}

/**
 * The server prints the mean over the loops: the product is a whole number where the digits suffice to tell which. A count of one loop
 * below a million is printed in full.
 */
function rowsOf(node: Node): Known {
  if (node.figures === null) return NOTHING;
  const { rows, loops } = node.figures;
  const value = rows.value * loops.value;
  const isWhole = loops.value === 1 && loops.step <= 1 && rows.step <= 1;
  const step = isWhole ? 0 : rows.step * loops.value + rows.value * (loops.step > 1 ? loops.step : 0);
  const isKnown = step / 2 + Math.abs(value - Math.round(value)) < 0.5;
  return isKnown ? { value: Math.round(value), step: 0 } : { value: Number(value.toPrecision(12)), step };
}

function summed(parts: readonly Known[]): Known {
  return parts.reduce((sum, each) => ({ value: sum.value + each.value, step: sum.step + each.step }), NOTHING);
}

/** A sum of printed milliseconds gets no digits that none of them has. */
function secondsOf(milliseconds: number): number {
  return Number((milliseconds / 1000).toPrecision(12));
}

function trimmed(value: number): string {
  return String(Number(value.toPrecision(2)));
}

const isBefore = (node: Node): boolean => node.text.startsWith(BEFORE_EXECUTION);

const countsRows = (node: Node): boolean => node.text.startsWith('Count rows in ');

function readsTable(node: Node): boolean {
  return !isBefore(node) && !node.text.startsWith('Zero rows');
}

/** Nodes in the order printed, each with its children. */
function nodesOf(text: string): readonly Node[] {
  const lines = entriesOf(text);
  const times = lines.flatMap(
    ({ rest }) => /\(actual time=(\S+?)\.\.(\S+) rows=/.exec(rest.slice(-200))?.slice(1) ?? [],
  );
  // Before 8.0.31 times had three decimals whatever their size, and a million rows all its digits.
  const isOld = times.length > 0 && times.every((time) => /^\d+\.\d{3}$/.test(time));
  const nodes = lines.map(({ depth, rest }) => nodeOf(depth, rest, isOld ? fixedNumber : shortNumber));
  const above: Node[] = [];
  for (const node of nodes) {
    above.length = node.depth;
    above.at(-1)?.children.push(node);
    above[node.depth] = node;
  }
  return nodes;
}

function treesOf(nodes: readonly Node[]): readonly Node[] {
  return nodes.filter((node) => node.depth === 0);
}

/** A name with a line break in it goes on in the next line; its node cannot be deeper than one below the node before it. */
function entriesOf(text: string): readonly { readonly depth: number; readonly rest: string }[] {
  const entries: { depth: number; rest: string[] }[] = [];
  for (const line of text.split('\n')) {
    const spaces = line.length - line.trimStart().length;
    const depth = spaces / 4;
    const isNode = Number.isInteger(depth) && line.startsWith('-> ', spaces);
    if (isNode && depth <= (entries.at(-1)?.depth ?? -1) + 1) entries.push({ depth, rest: [line.slice(spaces + 3)] });
    else entries.at(-1)?.rest.push(line);
  }
  return entries.map(({ depth, rest }) => ({ depth, rest: rest.join('\n').trimEnd() }));
}

/** Figures stand at the end: a condition before them may hold any text. */
function nodeOf(depth: number, rest: string, numberOf: (text: string) => PrintedNumber): Node {
  const end = rest.slice(-200);
  const never = '(never executed)';
  const isNever = rest.endsWith(never);
  const actual = /\(actual time=([\d.e+-]+?)\.\.([\d.e+-]+) rows=([\d.e+-]+) loops=([\d.e+-]+)\)$/.exec(end);
  const figures =
    actual === null
      ? null
      : {
          first: numberOf(actual[1]!),
          last: numberOf(actual[2]!),
          rows: numberOf(actual[3]!),
          loops: numberOf(actual[4]!),
        };
  const cut = actual !== null ? actual[0].length : isNever ? never.length : 0;
  const described = rest.slice(0, rest.length - cut).trimEnd();
  const cost = described.lastIndexOf('  (cost=');
  const isCost = cost >= 0 && described.endsWith(')') && !described.slice(cost + 8, -1).includes(')');
  const text = (isCost ? described.slice(0, cost) : described).trim();
  return { depth, text, figures, isNever, children: [] };
}
