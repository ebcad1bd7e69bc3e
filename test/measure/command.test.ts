import { describe, expect, it } from 'vitest';
import type { TrialContext } from '../../src/measure/context.ts';
import { measure } from '../../src/measure/measure.ts';
import { perform } from '../../src/measure/perform.ts';
import { runWithRusage } from '../../src/measure/tools/run-with-rusage.ts';
import type { Measurement } from '../../src/study/types.ts';

const context = {
  running: undefined,
  restart: () => Promise.reject(new Error('no server is needed')),
  signal: new AbortController().signal,
  progress: () => undefined,
} as unknown as TrialContext;

async function values(measurement: Measurement): Promise<Record<string, readonly number[]>> {
  const { samples } = await perform('c', measurement, context);
  return Object.fromEntries(samples.map(({ metric, values }) => [metric.slice(2), values]));
}

const rate = { unit: '1/s', better: 'higher' } as const;

describe('a command', () => {
  it('is timed and accounted for', async () => {
    // Perl is on every Debian: 0.2 s of CPU time, 64 MiB touched.
    const burn =
      'my $x; vec($x, (64 << 20) - 1, 8) = 1; my $cpu = 0; do { my @t = times; $cpu = $t[0] + $t[1] } while $cpu < 0.25;';
    const used = await values(measure.command(['perl', '-e', burn]));
    expect(used.user![0]! + used.system![0]!).toBeGreaterThan(0.19);
    expect(used.wall![0]).toBeGreaterThanOrEqual(used.user![0]!);
    expect(used.peakRss![0]).toBeGreaterThan(64 * 2 ** 20);
    expect(used.peakRss![0]).toBeLessThan(120 * 2 ** 20);
    expect(used.exitCode).toEqual([0]);
  });

  it('is read by a regular expression, one match or a series', async () => {
    const one = measure.command('echo "tps: 1,234.5 p95: 7"', {
      metrics: { tps: rate, p95: { unit: 's', better: 'lower' } },
      parse: /tps: (?<tps>[\d.,]+) p95: (?<p95>\d+)/,
    });
    expect(await values(one)).toMatchObject({ tps: [1234.5], p95: [7] });
    const many = measure.command('for i in 1 2 3; do echo "tps: $i" >&2; done', {
      metrics: { tps: rate },
      parse: /tps: (?<tps>\d+)/g,
    });
    expect((await values(many)).tps).toEqual([1, 2, 3]);
  });

  it('is read by paths into JSON, or by a function', async () => {
    const json = measure.command(`echo '{"runs": [{"rate": 5, "all": [1, 2]}]}'`, {
      metrics: { tps: rate, all: rate },
      parse: { tps: '$.runs[0].rate', all: 'runs[0].all' },
    });
    expect(await values(json)).toMatchObject({ tps: [5], all: [1, 2] });
    const own = measure.command('echo 1 2 3; exit 3', {
      metrics: { sum: rate },
      parse: ({ stdout }) => ({
        sum: stdout
          .trim()
          .split(' ')
          .map(Number)
          .reduce((a, b) => a + b),
      }),
      exitCodes: [0, 3],
    });
    expect(await values(own)).toMatchObject({ sum: [6], exitCode: [3] });
  });

  it.each([
    [measure.command('echo gone wrong >&2; exit 3'), '"/bin/sh" ended with exit code 3: gone wrong'],
    [measure.command('kill -9 $$'), '"/bin/sh" ended with exit code 137'],
    [measure.command(['no-such-program']), 'The program "no-such-program" is not installed.'],
    [measure.command(['/etc']), 'The program "/etc" could not be started: permission denied.'],
    [
      measure.command('echo x', { metrics: { tps: rate }, parse: /tps (?<tps>\d)/ }),
      'The output of "/bin/sh" could not be read: nothing in it matches /tps (?<tps>\\d)/.',
    ],
    [
      measure.command('echo "tps: 61,01"', { metrics: { tps: rate }, parse: /tps: (?<tps>\S+)/ }),
      'The output of "/bin/sh" could not be read: "61,01" is no number.',
    ],
    [
      measure.command('echo "{}"', { metrics: { tps: rate }, parse: { tps: 'a.b' } }),
      'The output of "/bin/sh" could not be read: there is no "a" of the path "a.b".',
    ],
  ])('fails in one sentence: %#', async (measurement, sentence) => {
    await expect(perform('c', measurement as Measurement, context)).rejects.toThrow(sentence);
  });

  it('is ended with all that it started', async () => {
    const stop = new AbortController();
    setTimeout(() => stop.abort(), 200);
    // No other sleeper sleeps for so long, also where this test runs twice on one machine.
    const seconds = `${10_000 + process.pid}.5`;
    const argv = ['/bin/sh', '-c', `sleep ${seconds} & sleep ${seconds}`];
    const running = runWithRusage({ argv, signal: stop.signal });
    await expect(running).rejects.toMatchObject({ code: 'interrupted' });
    const left = await runWithRusage({
      argv: ['/bin/sh', '-c', `ps -eo args | grep -c '^sleep ${seconds}' || true`],
      signal: context.signal,
    });
    expect(left.stdout.trim()).toBe('0');
  });

  it('does not wait for what it leaves in the background', async () => {
    const used = await values(measure.command('sleep 62 & echo started'));
    expect(used.wall![0]).toBeLessThan(30);
  });
});
