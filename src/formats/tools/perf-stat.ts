/** One counter of `perf stat -x ';'`. */
export interface PerfCounter {
  readonly event: string;
  /** In seconds where the event is a clock, else a count; null where it was not counted. */
  readonly value: number | null;
  /** "not supported" or "not counted", where it was not. */
  readonly reason: string | null;
  /** Share of the time in which the counter was really on the processor: below 1 the value is extrapolated. */
  readonly coverage: number | null;
}

/** Reads the lines `value;unit;event;run time;percentage;…` as perf writes them in the C locale, see perf-stat(1). */
export function parsePerfStat(text: string): readonly PerfCounter[] {
  const counters = text.split('\n').flatMap((line): PerfCounter[] => {
    const [value = '', unit = '', event = '', , percentage = ''] = line.split(';');
    if (event === '') return [];
    // "cycles:u" is what an unprivileged perf makes of "cycles"; "cpu_core/cycles/" are those of one kind of core.
    const name = event.replace(/:[a-zA-Z]+$/, '').replace(/^cpu_\w+\/([^/]*)\/$/, '$1');
    const not = /^<(.*)>$/.exec(value)?.[1];
    if (not !== undefined) return [{ event: name, value: null, reason: not, coverage: null }];
    const number = Number(value);
    if (value === '' || !Number.isFinite(number)) return [];
    const scale = unit === 'msec' ? 1e-3 : unit === 'ns' ? 1e-9 : 1;
    const coverage = percentage === '' || !Number.isFinite(Number(percentage)) ? null : Number(percentage) / 100;
    if (coverage === 0) return [{ event: name, value: null, reason: 'not counted', coverage: null }];
    return [{ event: name, value: number * scale, reason: null, coverage }];
  });
  return sumOverCores(counters);
}

/** Machines with two kinds of cores count an event on each: the whole is their sum, and unknown where one of them is. */
function sumOverCores(counters: readonly PerfCounter[]): readonly PerfCounter[] {
  const sums = new Map<string, PerfCounter>();
  for (const counter of counters) {
    const before = sums.get(counter.event);
    if (before === undefined || counter.value === null) sums.set(counter.event, counter);
    else if (before.value !== null) {
      const coverage = Math.min(before.coverage ?? 1, counter.coverage ?? 1);
      sums.set(counter.event, { ...before, value: before.value + counter.value, coverage });
    }
  }
  return [...sums.values()];
}

/** A line of `perf report --stdio -t ';'`: where samples fell. */
export interface PerfSymbol {
  /** Share of all samples, 0 to 1. */
  readonly share: number;
  readonly object: string;
  readonly symbol: string;
}

/** Reads the fields overhead, dso and symbol; comment lines are left out. */
export function parsePerfReport(text: string): {
  readonly samples: number | null;
  readonly symbols: readonly PerfSymbol[];
} {
  const count = /^# Samples: ([\d.]+)([KM]?) +of event/m.exec(text);
  const factor = { '': 1, K: 1000, M: 1_000_000 }[count?.[2] ?? ''] ?? 1;
  const symbols = text.split('\n').flatMap((line): PerfSymbol[] => {
    const [share = '', object, ...rest] = line.split(';').map((field) => field.trim());
    if (object === undefined || rest.length === 0 || !/^[\d.]+%$/.test(share)) return [];
    const symbol = rest
      .join(';')
      .replace(/^\[[.kgu]\]/, '')
      .trim();
    return [{ share: Number(share.slice(0, -1)) / 100, object, symbol }];
  });
  return { samples: count === null ? null : Number(count[1]) * factor, symbols };
}
