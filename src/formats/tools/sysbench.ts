/** One line of intermediate results; rates are per second. What a version does not print, or cannot be, is null. */
export interface SysbenchInterval {
  readonly atSeconds: number;
  readonly threads: number;
  readonly tps: number | null;
  readonly qps: number | null;
  /** At the percentile of the run; null where no transaction ended in the interval, or the recorder could not hold it. */
  readonly latencySeconds: number | null;
  readonly errorsPerSecond: number | null;
}

/** What a run of sysbench's OLTP tests printed, from 0.4.12 to 1.1; times in seconds. */
export interface SysbenchResult {
  readonly version: string | null;
  readonly threads: number | null;
  readonly seconds: number | null;
  /** Transactions per second that it was asked to keep to; null where it ran as fast as it could. */
  readonly targetTps: number | null;
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
    /** Whether the percentile is where sysbench's recorder ends: the true one is there or above. */
    readonly isCensored: boolean;
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
  const transactions = /^[ \t]*transactions:\s+(\d+)\s+\((\S+) per sec/m.exec(report);
  const queries = /^[ \t]*queries:\s+(\d+)\s+\((\S+) per sec/m.exec(report);
  const seconds = number(/^[ \t]*(?:total time|time elapsed):\s+([\d.]+)s/m);
  const total = queries === null ? number(/^[ \t]*total:\s+(\d+)/m) : Number(queries[1]);
  return {
    version: /^sysbench v?(\d[\w.-]*?):?(?:\s|$)/m.exec(text)?.[1] ?? null,
    threads: numberOf(/^Number of threads: (\d+)/m.exec(text)),
    seconds,
    targetTps: numberOf(/^Target transaction rate: (\d+(?:\.\d+)?)\/sec/m.exec(text)),
    transactions: numberOf(transactions),
    tps: transactions === null ? null : rateOf(transactions[2]),
    queries: total,
    qps: queries !== null ? rateOf(queries[2]) : total !== null && seconds ? total / seconds : null,
    reads: number(/^[ \t]*read:\s+(\d+)/m),
    writes: number(/^[ \t]*write:\s+(\d+)/m),
    errors: number(/^[ \t]*ignored errors:\s+(\d+)/m) ?? number(/^[ \t]*deadlocks:\s+(\d+)/m),
    reconnects: number(/^[ \t]*reconnects:\s+(\d+)/m),
    latency: numberOf(transactions) === 0 ? NO_LATENCY : latencyOf(report),
    intervals: linesOf(text).flatMap(intervalOf),
  };
}

/** sysbench's recorder ends here: a percentile of just this value was not measured but cut off. */
const PERCENTILE_CEILING_SECONDS = 100;

/** Without a transaction sysbench prints 0, or the start value of its counters. */
const NO_LATENCY = { minSeconds: null, averageSeconds: null, maxSeconds: null, percentile: null, isCensored: false };

/** No machine makes this many transactions or queries in a second: a counter of sysbench went below 0 and wrapped around. */
const IMPOSSIBLE_RATE = 1e12;

/** Milliseconds that no run takes: the recorder's start value, or a clock that went backwards. */
const IMPOSSIBLE_LATENCY = 1e12;

function rateOf(text: string | undefined): number | null {
  const rate = Number(text);
  return text === undefined || !Number.isFinite(rate) || rate < 0 || rate >= IMPOSSIBLE_RATE ? null : rate;
}

/** Milliseconds in all versions, with the unit behind the number in the older ones. */
function latencyOf(report: string): SysbenchResult['latency'] {
  const block = report.slice(
    Math.max(0, report.search(/^(Latency \(ms\)|[ \t]*(response time|per-request statistics)):/m)),
  );
  const ms = (pattern: RegExp): number | null => {
    const value = numberOf(pattern.exec(block));
    return value === null || value >= IMPOSSIBLE_LATENCY ? null : secondsOf(value);
  };
  const found = /^[ \t]*(?:approx\.[ \t]+)?(\d+)(?:st|nd|rd|th)? percentile:[ \t]+([\d.]+)(?:ms)?$/m.exec(block);
  const percentile = found === null ? null : { rank: Number(found[1]), seconds: secondsOf(Number(found[2])) };
  return {
    minSeconds: ms(/^[ \t]*min:\s+([\d.]+)(?:ms)?$/m),
    averageSeconds: ms(/^[ \t]*avg:\s+([\d.]+)(?:ms)?$/m),
    maxSeconds: ms(/^[ \t]*max:\s+([\d.]+)(?:ms)?$/m),
    percentile,
    isCensored: percentile !== null && percentile.seconds >= PERCENTILE_CEILING_SECONDS,
  };
}

/** Lines, and those that begin within another one: two threads may print at once. */
function linesOf(text: string): readonly string[] {
  return text.split(/\r?\n|(?=\[ {0,10}\d{1,10}s {0,10}\] (?:thds|threads): )/);
}

function intervalOf(line: string): SysbenchInterval[] {
  const head = /^\[ *([\d.]+)s *\] (?:thds|threads): (\d+),? tps: ([^\s,]+)[\s,]/.exec(line);
  if (head === null) return [];
  const tps = rateOf(head[3]);
  const qps = rateOf(/ qps: ([\d.]+)/.exec(line)?.[1]) ?? readsAndWrites(line);
  const printed = numberOf(/ lat \(ms, ?\d+%\): ([\d.]+)/.exec(line) ?? / response time: ([\d.]+)ms/.exec(line));
  const latency = printed === null ? null : secondsOf(printed);
  // Without a transaction sysbench prints 0; above its recorder's end it prints the end.
  const isKnown = latency !== null && tps !== 0 && latency > 0 && latency < PERCENTILE_CEILING_SECONDS;
  return [
    {
      atSeconds: Number(head[1]),
      threads: Number(head[2]),
      tps,
      qps,
      latencySeconds: isKnown ? latency : null,
      errorsPerSecond: rateOf(/ (?:err\/s|errors):? ([\d.]+)/.exec(line)?.[1]),
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
  return match === null ? null : rateOf(String(Number(match[1]) + Number(match[2])));
}

function numberOf(match: RegExpExecArray | null): number | null {
  return match === null ? null : Number(match[1]);
}
