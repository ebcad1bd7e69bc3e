import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';

/** The sentence and hint of what a call throws. */
function refused(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    const { code, message, hint } = error as { code: string; message: string; hint?: string };
    expect(code).toBe('study');
    // Every refusal ends with an example of its word.
    const rest = hint?.replace(/(^|; )for example `measure\..*`$/, '') ?? '';
    return rest === '' ? message : `${message} (${rest})`;
  }
  throw new Error('nothing was thrown');
}

const untyped = measure as unknown as Record<string, (...args: unknown[]) => unknown>;

describe('words of measure', () => {
  it.each([
    [
      () => untyped.query!('SELECT 1', { iteration: 3 }),
      'measure.query has no option "iteration". (did you mean "iterations"?)',
    ],
    [() => untyped.query!('  '), 'measure.query was given a wrong argument: must not be empty.'],
    [
      () => untyped.query!('SELECT 1', { iterations: 1.5 }),
      'measure.query was given a wrong "iterations": must be a whole number from 0 to 100000.',
    ],
    [
      () => untyped.query!('SELECT 1', { iterations: -1 }),
      'measure.query was given a wrong "iterations": must be at least 0.',
    ],
    [
      () => untyped.query!('SELECT 1', { expect: 5 }),
      'measure.query was given a wrong "expect": must be a list of rows, { rows: count }, { sha256: digest } or "any".',
    ],
    [
      () => untyped.analyze!('EXPLAIN SELECT 1'),
      'measure.analyze needs the statement alone, without ANALYZE or EXPLAIN before it.',
    ],
    [() => untyped.status!([]), 'measure.status was given a wrong argument: must name at least one counter.'],
    [() => untyped.status!('Uptime'), 'measure.status was given a wrong argument: must be a list of counters.'],
    [() => untyped.status!(['Uptime', 'Uptime']), 'measure.status was given a wrong argument: names a counter twice.'],
    [
      () => untyped.memory!({ idleSeconds: Number.NaN }),
      'measure.memory was given a wrong "idleSeconds": must be a number of seconds.',
    ],
    [() => untyped.memory!({ when: 'later' }), 'measure.memory was given a wrong "when": must be "idle" or "now".'],
    [
      () => untyped.startup!({ after: 'reboot' }),
      'measure.startup was given a wrong "after": must be "stop" or "crash".',
    ],
    [
      () => untyped.shutdown!({ mode: 'crash' }),
      'measure.shutdown was given a wrong "mode": must be "fast" or "slow".',
    ],
    [
      () => untyped.timeline!(['rss'], { intervalMs: 10 }),
      'measure.timeline was given a wrong "intervalMs": must be at least 50.',
    ],
    [() => untyped.perf!({}), 'measure.perf was given a wrong "mode": must have mode "stat" or "record".'],
    [() => untyped.sysbench!({ threds: 4 }), 'measure.sysbench has no option "threds". (did you mean "threads"?)'],
    [
      () => untyped.sysbench!({ options: { table_size: 5 } }),
      'measure.sysbench sets the option "table_size" by itself. (Give it as tables, tableSize, threads, time, percentile, rand or interval.)',
    ],
    [() => untyped.command!([]), 'measure.command was given a wrong argument: must not be empty.'],
    [
      () => untyped.command!('true', { metrics: { wall: { unit: 's', better: 'lower' } } }),
      'measure.command has a metric "wall" already. (Give yours another name.)',
    ],
    [
      () => untyped.command!('true', { metrics: { tps: { unit: '1/s', better: 'higher' } } }),
      'measure.command does not say how "tps" is read: "parse" is missing.',
    ],
    [() => untyped.statements!({}), 'measure.statements was given a wrong argument: must name at least one step.'],
    [
      () => untyped.custom!({ metrics: {}, params: {}, run: async () => ({}) }),
      'measure.custom needs metrics, params and a function run.',
    ],
    [
      () => untyped.around!(measure.query('SELECT 1'), []),
      'measure.around needs a list of probes as its second argument. (Probes are status, innodbStatus, innodbMetrics, timeline and perf.)',
    ],
    [
      () => untyped.around!(measure.query('SELECT 1'), [measure.memory()]),
      'measure.around needs a list of probes as its second argument. (Probes are status, innodbStatus, innodbMetrics, timeline and perf.)',
    ],
    [
      () => measure.around(measure.query('SELECT 1'), [measure.status(['first'])]),
      'measure.around: two of its parts have a metric "first". (Name it in one of them only, or measure twice.)',
    ],
  ])('refuses in one sentence: %#', (call, sentence) => {
    expect(refused(call)).toBe(sentence);
  });

  it('tells how the metrics of command and its named groups differ', () => {
    const metrics = { tps: { unit: '1/s', better: 'higher' } } as const;
    expect(refused(() => untyped.command!('true', { metrics, parse: /qps: (?<qps>\d+)/ }))).toMatch(
      /named groups of "parse" differ by "tps"/,
    );
    expect(refused(() => untyped.command!('true', { metrics, parse: { tps: 'a', p95: 'b' } }))).toMatch(
      /paths of "parse" differ by "p95"/,
    );
  });

  it('takes any option that is of the wrong kind as a sentence, never as a crash', () => {
    const words = Object.keys(measure);
    fc.assert(
      fc.property(fc.constantFrom(...words), fc.array(fc.jsonValue(), { maxLength: 2 }), (word, args) => {
        try {
          untyped[word]!(...args);
        } catch (error) {
          expect(error).toMatchObject({ name: 'BenchbookError', code: 'study' });
        }
      }),
    );
  });

  it('declares what will be measured and no more', () => {
    expect(Object.keys(measure.query('SELECT 1').metrics)).toEqual(['first', 'later', 'rows']);
    expect(Object.keys(measure.query('SELECT 1', { iterations: 0 }).metrics)).toEqual(['first', 'rows']);
    expect(Object.keys(measure.startup().metrics)).not.toContain('recovery');
    expect(Object.keys(measure.startup({ after: 'crash' }).metrics)).toContain('recovery');
    expect(Object.keys(measure.timeline(['rss', 'Innodb_pages_read']).metrics)).toEqual([
      'rssOverTime',
      'Innodb_pages_readOverTime',
      'timelineCost',
    ]);
    expect(measure.sysbench({ percentile: 99 }).metrics.latencyPercentile.title).toBe('99th percentile of latency');
    expect(measure.status(['Innodb_data_read', 'Threads_running']).metrics).toEqual({
      Innodb_data_read: { unit: 'B', better: 'neither', title: 'Innodb_data_read, by how much it grew' },
      Threads_running: { unit: '1', better: 'neither', title: 'Threads_running, at the end' },
    });
  });

  it('keeps what was asked for as plain data, which decides whether a trial must be measured again', () => {
    const scan = measure.around(measure.query('SELECT 1', { iterations: 2 }), [measure.status(['Uptime'])]);
    expect(JSON.parse(JSON.stringify(scan.params))).toEqual({
      inner: { kind: 'query', params: { sql: 'SELECT 1', iterations: 2, warmup: 1 } },
      probes: [{ probe: 'status', params: { counters: ['Uptime'] } }],
    });
    const read = measure.command('x', { metrics: { a: { unit: '1', better: 'lower' } }, parse: /(?<a>\d)/g });
    expect(JSON.parse(JSON.stringify(read.params))).toMatchObject({
      argv: ['/bin/sh', '-c', 'x'],
      pattern: { source: '(?<a>\\d)', flags: 'g' },
    });
  });

  it('belongs to the trial where it tells of its start, and so does what is put around it', () => {
    expect(measure.startup().oncePerTrial).toBe(true);
    expect(measure.startup({ after: 'crash' }).oncePerTrial).toBeUndefined();
    expect(measure.around(measure.startup(), [measure.status(['Uptime'])]).oncePerTrial).toBe(true);
    expect(measure.query('SELECT 1').oncePerTrial).toBeUndefined();
  });
});
