// The report of the bench side-by-side.ts, as Markdown with every raw value.
import { hodgesLehmann } from '../../src/analysis/intervals/rank-sum.ts';
import type { Entry } from '../../src/journal/entry.ts';
import { spread } from './seed-scan.ts';

type Two = readonly [mtr: readonly number[], benchbook: readonly number[]];

export interface ComparedCell {
  readonly name: string;
  /** Effective variables that differ, in words. */
  readonly variables: readonly string[];
  readonly scans: readonly { readonly scan: string; readonly times: Two; readonly accessed: Two; readonly read: Two }[];
}

interface Bench {
  readonly compared: readonly ComparedCell[];
  /** Wall time of all calls of mtr; of `benchbook run`; and what of that came after its last sample. */
  readonly seconds: { readonly mtr: number; readonly benchbook: number; readonly report: number };
  readonly repetitions: number;
  /** Repetitions in each call of mtr. */
  readonly perCall: number;
  readonly pages: number;
  readonly run: {
    readonly build: Extract<Entry, { type: 'server' }>;
    readonly host: Extract<Entry, { type: 'host' }>;
  };
}

/** What the two methods found, and how long each took. */
export function sideBySideReport(bench: Bench): string {
  const { compared, seconds, repetitions, perCall, pages, run } = bench;
  const rows = compared.flatMap(({ name, scans }) => scans.map((each) => ({ name, ...each, ...ratioOf(each.times) })));
  const apart = rows.filter(({ differ }) => differ).length;
  const variables = compared.flatMap(({ name, variables }) => variables.map((text) => `${name}: ${text}`));
  const accessed = new Set(rows.flatMap((row) => row.accessed.flat()));
  const share = (part: number) => `${part.toFixed(0)} s, ${(part / seconds.mtr).toFixed(2)} of it`;
  const machine = Object.entries(run.host.hostClass as object).map(([what, value]) => `${what} ${value}`);
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const table = (heads: readonly string[], body: readonly (readonly string[])[]) =>
    [line(heads), line(heads.map(() => '---')), ...body.map(line)].join('\n');
  return [
    '# The scan of MDEV-30986, by mtr and by Benchbook, in one session',
    `Six cells, ${repetitions} repetitions each: the ticket's test under mtr, ${perCall} repetition${perCall === 1 ? '' : 's'} in each call, half of the calls before and half after \`benchbook run\` of [side-by-side.study.ts](side-by-side.study.ts). ${run.build.version}, ${run.host.at.slice(0, 10)}; ${machine.join(', ')}.`,
    [
      `- Effective variables that differ: ${variables.join('; ') || 'none in any cell'}.`,
      `- Pages accessed by a scan: ${[...accessed].join(', ')} in all ${rows.length * repetitions * 2} scans; the test's table has ${pages} for it.`,
      `- Times: the 95 % interval of the ratio holds 1 in ${rows.length - apart} of ${rows.length} comparisons. Of ${rows.length} intervals of the same thing, ${(rows.length * 0.05).toFixed(1)} would miss it by chance.`,
      `- By flush method: ${['O_DIRECT', 'fsync'].map((method) => sided(method, rows)).join('; ')}. Where one side is always ahead, the methods differ in something that no variable shows.`,
      `- Wall time: mtr ${seconds.mtr.toFixed(0)} s; Benchbook, with making the table, ${share(seconds.benchbook - seconds.report)} to its last sample, and ${share(seconds.benchbook)} with HTML and PDF.`,
    ].join('\n'),
    table(
      [
        'cell',
        'scan',
        'mtr, s',
        'Benchbook, s',
        'ratio of times',
        '95 % interval',
        'pages read by mtr',
        'by Benchbook',
      ],
      rows.map(({ name, scan, times, ratio, low, high, differ, read }) => [
        name.replace(/ +/g, ' '),
        scan,
        ...times.map(spread),
        ratio.toFixed(3),
        `${low.toFixed(3)} to ${high.toFixed(3)}${differ ? ', differs' : ''}`,
        ...read.map(spread),
      ]),
    ),
    'Medians with the range. The ratio is that of Hodges and Lehmann on logarithms, Benchbook over mtr. Every time, in seconds, in the order run:',
    table(
      ['cell', 'scan', 'mtr', 'Benchbook'],
      rows.map(({ name, scan, times }) => [
        name.replace(/ +/g, ' '),
        scan,
        ...times.map((values) => values.map((value) => value.toFixed(4)).join(' ')),
      ]),
    ),
  ].join('\n\n');
}

/** On which side of 1 the ratios of a flush method lie. */
function sided(method: string, rows: readonly { readonly name: string; readonly ratio: number }[]): string {
  const own = rows.filter(({ name }) => name.startsWith(method));
  const above = own.filter(({ ratio }) => ratio > 1).length;
  return `with ${method} Benchbook's times are longer in ${above} and shorter in ${own.length - above} of ${own.length}`;
}

function ratioOf([mtr, benchbook]: Two) {
  const logs = (values: readonly number[]) => values.map(Math.log).sort((a, b) => a - b);
  const { shift, interval } = hodgesLehmann(logs(benchbook), logs(mtr));
  const [ratio, low, high] = [shift, interval!.low, interval!.high].map(Math.exp) as [number, number, number];
  return { ratio, low, high, differ: low > 1 || high < 1 };
}
