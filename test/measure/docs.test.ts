import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { MeasurementKind } from '../../src/measure/kinds/define.ts';
import { MEASUREMENTS } from '../../src/measure/kinds/list.ts';
import { measure } from '../../src/measure/measure.ts';

const FILE = join(import.meta.dirname, '../../CONTRIBUTING.md');
const kinds: readonly MeasurementKind[] = MEASUREMENTS;

const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => row[column]!.length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [head, widths.map((width) => '-'.repeat(width)), ...rows].map(line).join('\n');
}

function methods(): string {
  const rows = kinds.map(({ docs, begin }) => [
    `${docs.forms.map(code).join(', ')}${begin === undefined ? '' : ', a probe'}`,
    docs.how,
    docs.disturbs,
  ]);
  return table(['measurement', 'how it measures', 'what it disturbs'], rows);
}

function metrics(): string {
  const rows = kinds.flatMap(({ kind, metrics: all, docs }) =>
    docs.metrics.map(([names, text]) => [
      names.map((name, index) => code(index === 0 ? `${kind}.${name}` : name)).join(', '),
      [...new Set(names.map((name) => all[name]!.unit))].join(', '),
      text,
    ]),
  );
  return table(['metric', 'unit', 'what it is'], rows);
}

it.each([
  ['measurements', methods],
  ['metrics', metrics],
])('the table of %s in CONTRIBUTING.md is made from the objects (UPDATE_EXPECTED=1 writes it)', (name, made) => {
  const [begin, end] = [`<!-- ${name}: generated -->\n`, `\n<!-- end of ${name} -->`];
  const text = readFileSync(FILE, 'utf8');
  const from = text.indexOf(begin) + begin.length;
  const to = text.indexOf(end);
  expect(from, `CONTRIBUTING.md has ${begin}`).toBeGreaterThanOrEqual(begin.length);
  expect(to, `CONTRIBUTING.md has ${end}`).toBeGreaterThan(from);
  const wanted = `\n${made()}\n`;
  if (process.env.UPDATE_EXPECTED) writeFileSync(FILE, `${text.slice(0, from)}${wanted}${text.slice(to)}`);
  else expect(text.slice(from, to)).toBe(wanted);
});

it.each(kinds.map((each) => [each.kind, each] as const))(
  '%s documents each of its metrics once, with one unit a row',
  (_, { kind, metrics, docs }) => {
    expect(docs.metrics.flatMap(([names]) => names).sort()).toEqual(Object.keys(metrics).sort());
    for (const [names] of docs.metrics) expect(new Set(names.map((name) => metrics[name]!.unit)).size).toBe(1);
    for (const form of docs.forms) expect(form.startsWith(`${kind}(`), form).toBe(true);
  },
);

it('a word declares the metrics that its object lists', () => {
  const declared = {
    startup: measure.startup({ after: 'crash' }).metrics,
    shutdown: measure.shutdown().metrics,
    memory: measure.memory().metrics,
    idle: measure.idle().metrics,
    query: measure.query('SELECT 1').metrics,
    analyze: measure.analyze('SELECT 1').metrics,
    profile: measure.profile('SELECT 1').metrics,
    statements: measure.statements({ STEP: 'SELECT 1' }).metrics,
    sysbench: measure.sysbench().metrics,
    command: measure.command('true').metrics,
    mtr: measure.mtr('main.1st', { analyses: ['NAME'] }).metrics,
    status: measure.status(['COUNTER']).metrics,
    innodbMetrics: measure.innodbMetrics(['NAME']).metrics,
    innodbStatus: measure.innodbStatus().metrics,
    perf: { ...measure.perf({ mode: 'stat' }).metrics, ...measure.perf({ mode: 'record' }).metrics },
  };
  const units = (all: object) =>
    Object.entries(all)
      .map(([name, { unit }]) => `${name} ${unit}`)
      .sort();
  // The study names the metrics of `custom`, the probes those of `around`, and the series those of `timeline`.
  const open = ['custom', 'around', 'timeline'];
  expect([...Object.keys(declared), ...open].sort()).toEqual(kinds.map(({ kind }) => kind).sort());
  for (const [kind, all] of Object.entries(declared)) {
    expect(units(all)).toEqual(units(kinds.find((each) => each.kind === kind)!.metrics));
  }
});
