/** One line of intermediate results; rates are per second. What a version does not print is null. */
export interface SysbenchInterval {
  readonly atSeconds: number;
  readonly threads: number;
  readonly tps: number;
  readonly qps: number | null;
  /** At the percentile of the run. */
  readonly latencySeconds: number | null;
  readonly errorsPerSecond: number | null;
}

/** What a run of sysbench's OLTP tests printed, from 0.4.12 to 1.1; times in seconds. */
export interface SysbenchResult {
  readonly version: string | null;
  readonly threads: number | null;
  readonly seconds: number | null;
  readonly transactions: number | null;
  readonly tps: number | null;
  readonly queries: number | null;
  readonly qps: number | null;
  readonly reads: number | null;
  readonly writes: number | null;
  /** Ignored errors; deadlocks where 0.4 counts only those. */
  readonly errors: number | null;
  readonly reconnects: number | null;
  readonly latency: {
    readonly minSeconds: number | null;
    readonly averageSeconds: number | null;
    readonly maxSeconds: number | null;
    /** Which one, 95 by default; null where it was switched off. */
    readonly percentile: { readonly rank: number; readonly seconds: number } | null;
  };
  readonly intervals: readonly SysbenchInterval[];
}

/**
 * Reads the standard output of `sysbench … run`. With several reports (checkpoints) the numbers are the last one's.
 * @throws Error where there is no report: the run did not end.
 */
export function parseSysbench(text: string): SysbenchResult {
  const start = Math.max(text.lastIndexOf('SQL statistics:'), text.lastIndexOf('OLTP test statistics:'));
  if (start < 0) throw new Error('it holds no report of an OLTP test: the run did not end in order');
  const report = text.slice(start);
  const number = (pattern: RegExp): number | null => {
    const match = pattern.exec(report);
    return match === null ? null : Number(match[1]);
  };
  const transactions = /^\s*transactions:\s+(\d+)\s+\(([\d.]+) per sec/m.exec(report);
  const queries = /^\s*queries:\s+(\d+)\s+\(([\d.]+) per sec/m.exec(report);
  const seconds = number(/^\s*(?:total time|time elapsed):\s+([\d.]+)s/m);
  const total = queries === null ? number(/^\s*total:\s+(\d+)/m) : Number(queries[1]);
  return {
    version: /^sysbench v?(\d[\w.-]*?):?(?:\s|$)/m.exec(text)?.[1] ?? null,
    threads: numberOf(/^Number of threads: (\d+)/m.exec(text)),
    seconds,
    transactions: numberOf(transactions),
    tps: transactions === null ? null : Number(transactions[2]),
    queries: total,
    qps: queries !== null ? Number(queries[2]) : total !== null && seconds ? total / seconds : null,
    reads: number(/^\s*read:\s+(\d+)/m),
    writes: number(/^\s*write:\s+(\d+)/m),
    errors: number(/^\s*ignored errors:\s+(\d+)/m) ?? number(/^\s*deadlocks:\s+(\d+)/m),
    reconnects: number(/^\s*reconnects:\s+(\d+)/m),
    latency: latencyOf(report),
    intervals: text.split('\n').flatMap(intervalOf),
  };
}

/** Milliseconds in all versions, with the unit behind the number in the older ones. */
function latencyOf(report: string): SysbenchResult['latency'] {
  const block = report.slice(
    Math.max(0, report.search(/^(Latency \(ms\)|\s*(response time|per-request statistics)):/m)),
  );
  const ms = (pattern: RegExp): number | null => {
    const value = numberOf(pattern.exec(block));
    return value === null ? null : secondsOf(value);
  };
  const percentile = /^\s*(?:approx\.\s+)?(\d+)(?:st|nd|rd|th)? percentile:\s+([\d.]+)(?:ms)?$/m.exec(block);
  return {
    minSeconds: ms(/^\s*min:\s+([\d.]+)(?:ms)?$/m),
    averageSeconds: ms(/^\s*avg:\s+([\d.]+)(?:ms)?$/m),
    maxSeconds: ms(/^\s*max:\s+([\d.]+)(?:ms)?$/m),
    percentile: percentile === null ? null : { rank: Number(percentile[1]), seconds: secondsOf(Number(percentile[2])) },
  };
}

function intervalOf(line: string): SysbenchInterval[] {
  const head = /^\[\s*([\d.]+)s\s*\] (?:thds|threads): (\d+),? tps: ([\d.]+)/.exec(line);
  if (head === null) return [];
  const qps = numberOf(/ qps: ([\d.]+)/.exec(line)) ?? readsAndWrites(line);
  const latency = numberOf(/ lat \(ms, ?\d+%\): ([\d.]+)/.exec(line) ?? / response time: ([\d.]+)ms/.exec(line));
  return [
    {
      atSeconds: Number(head[1]),
      threads: Number(head[2]),
      tps: Number(head[3]),
      qps,
      latencySeconds: latency === null ? null : secondsOf(latency),
      errorsPerSecond: numberOf(/ (?:err\/s|errors):? ([\d.]+)/.exec(line)),
    },
  ];
}

/** A division by 1000 must not add digits that were not printed. */
function secondsOf(milliseconds: number): number {
  return Number((milliseconds / 1000).toPrecision(12));
}

/** 0.5 prints no total. */
function readsAndWrites(line: string): number | null {
  const match = / reads: ([\d.]+), writes: ([\d.]+)/.exec(line);
  return match === null ? null : Number(match[1]) + Number(match[2]);
}

function numberOf(match: RegExpExecArray | null): number | null {
  return match === null ? null : Number(match[1]);
}

/** sysbench's recorder ends here: a percentile of just this value was not measured but cut off. */
export const PERCENTILE_CEILING_SECONDS = 100;

/** Queries that the standard tests make in one transaction with their default options. */
const QUERIES_PER_TRANSACTION: Readonly<Record<string, number>> = { oltp_read_only: 16, oltp_read_write: 20 };

/** What is wrong with a result by itself, each in one sentence. `test` is given where it ran with its default statements. */
export function sysbenchDoubts(result: SysbenchResult, test?: string): readonly string[] {
  const { minSeconds, averageSeconds, maxSeconds, percentile } = result.latency;
  const doubts: string[] = [];
  const ordered = [minSeconds, averageSeconds, maxSeconds].filter((each) => each !== null);
  if (ordered.some((each, index) => index > 0 && each < ordered[index - 1]!)) {
    doubts.push('Latency is not in the order of minimum, average and maximum.');
  }
  // Percentiles come from the buckets of a histogram, the maximum does not: a bucket is 3 % wide.
  if (percentile !== null && maxSeconds !== null && percentile.seconds > maxSeconds * 1.04) {
    doubts.push(`The ${percentile.rank}th percentile of latency is above the maximum.`);
  }
  const perTransaction = test === undefined ? undefined : QUERIES_PER_TRANSACTION[test];
  const { transactions, queries, errors, reconnects } = result;
  if (perTransaction !== undefined && transactions && queries !== null && errors === 0 && reconnects === 0) {
    const found = queries / transactions;
    // Threads that are cut off at the end of the time have made some queries of a transaction that is not counted.
    if (Math.abs(found - perTransaction) > perTransaction * 0.02) {
      doubts.push(`There were ${found.toFixed(2)} queries for each transaction where ${test} makes ${perTransaction}.`);
    }
  }
  if (result.intervals.length >= 5 && result.tps !== null) {
    const mean = result.intervals.reduce((sum, each) => sum + each.tps, 0) / result.intervals.length;
    if (Math.abs(mean - result.tps) > result.tps * 0.1) {
      doubts.push(
        `The mean of the intervals (${mean.toFixed(1)} tps) is not the total's ${result.tps.toFixed(1)} tps.`,
      );
    }
  }
  const failing = result.intervals.filter((each) => each.tps === 0 && (each.errorsPerSecond ?? 0) > 0).length;
  if (failing > 0) doubts.push(`${failing} of ${result.intervals.length} intervals had errors and no transaction.`);
  const stalls = result.intervals.filter((each) => each.tps === 0 && (each.errorsPerSecond ?? 0) === 0).length;
  if (stalls > 0) doubts.push(`In ${stalls} of ${result.intervals.length} intervals no transaction ended.`);
  if (errors !== null && errors > 0) doubts.push(`Ignored errors (deadlocks, lock waits): ${errors}.`);
  return doubts;
}
