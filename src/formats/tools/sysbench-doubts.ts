import type { SysbenchResult } from './sysbench.ts';

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
  // Percentiles come from the buckets of a histogram, minimum and maximum do not: a bucket is 3 % wide.
  if (percentile !== null && maxSeconds !== null && percentile.seconds > maxSeconds * 1.04) {
    doubts.push(`The ${percentile.rank}th percentile of latency is above the maximum.`);
  }
  if (percentile !== null && minSeconds !== null && percentile.seconds < minSeconds) {
    doubts.push(
      `The ${percentile.rank}th percentile of latency (${ms(percentile.seconds)}) is below the minimum (${ms(minSeconds)}).`,
    );
  }
  if (result.latency.isCensored) {
    doubts.push(
      `The ${percentile!.rank}th percentile of latency is where sysbench's recorder ends: it is 100 s or more.`,
    );
  }
  doubts.push(...rateDoubts(result));
  const perTransaction = test === undefined ? undefined : QUERIES_PER_TRANSACTION[test];
  const { transactions, queries, errors, reconnects } = result;
  if (perTransaction !== undefined && transactions && queries !== null && errors === 0 && reconnects === 0) {
    const found = queries / transactions;
    // Threads that are cut off at the end of the time have made some queries of a transaction that is not counted.
    if (Math.abs(found - perTransaction) > perTransaction * 0.02) {
      doubts.push(`There were ${found.toFixed(2)} queries for each transaction where ${test} makes ${perTransaction}.`);
    }
  }
  doubts.push(...intervalDoubts(result));
  if (errors !== null && errors > 0) doubts.push(`Ignored errors (deadlocks, lock waits): ${errors}.`);
  return doubts;
}

/** Compares the total rate with its intervals and with the rate that was asked for. */
function rateDoubts({ tps, transactions, seconds, targetTps }: SysbenchResult): readonly string[] {
  const doubts: string[] = [];
  if (transactions === 0) doubts.push('No transaction ended in the whole run.');
  if (transactions !== null && tps === null)
    doubts.push('The rate of transactions is no possible number: it is left out.');
  if (transactions && tps !== null && seconds && Math.abs(transactions / seconds - tps) > 0.05 * tps + 1) {
    doubts.push(
      `The rate of ${tps.toFixed(1)} tps is not ${transactions} transactions divided by ${seconds} s (${(transactions / seconds).toFixed(1)} tps).`,
    );
  }
  if (targetTps !== null && tps !== null) {
    // Transactions come at random moments: their number in a short time differs by its square root.
    const chance = seconds ? (3 * Math.sqrt(targetTps * seconds)) / seconds : 0;
    if (targetTps - tps > Math.max(0.02 * targetTps, chance)) {
      doubts.push(
        `The target of ${targetTps} transactions per second was not reached: ${tps.toFixed(2)} were made. Latency and rate are those of an overloaded server.`,
      );
    }
  }
  return doubts;
}

function intervalDoubts({ intervals, tps, latency }: SysbenchResult): readonly string[] {
  const doubts: string[] = [];
  const known = intervals.flatMap((each) => (each.tps === null ? [] : [each.tps]));
  const say = (count: number, sentence: string) => {
    if (count > 0) doubts.push(sentence);
  };
  const refused = intervals.length - known.length;
  say(
    refused,
    `${refused} of ${intervals.length} intervals have a rate that is no possible number: they are left out.`,
  );
  if (known.length >= 5 && tps !== null) {
    const mean = known.reduce((sum, each) => sum + each, 0) / known.length;
    const isFar = Math.abs(mean - tps) > tps * 0.1;
    say(Number(isFar), `The mean of the intervals (${mean.toFixed(1)} tps) is not the total's ${tps.toFixed(1)} tps.`);
  }
  const still = intervals.filter((each) => each.tps === 0);
  const failing = still.filter((each) => (each.errorsPerSecond ?? 0) > 0).length;
  say(failing, `${failing} of ${intervals.length} intervals had errors and no transaction.`);
  const stalls = still.length - failing;
  say(stalls, `In ${stalls} of ${intervals.length} intervals no transaction ended.`);
  const cutOff = intervals.filter((each) => each.tps !== 0 && each.latencySeconds === null).length;
  const hasLatency = intervals.some((each) => each.latencySeconds !== null);
  say(
    hasLatency && latency.percentile !== null ? cutOff : 0,
    `In ${cutOff} of ${intervals.length} intervals the percentile of latency is no possible value or where sysbench's recorder ends (100 s): it is left out.`,
  );
  return doubts;
}

function ms(seconds: number): string {
  return `${Number((seconds * 1000).toPrecision(12))} ms`;
}
