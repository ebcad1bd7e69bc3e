import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { measure } from '../../src/measure/measure.ts';
import type { Metric } from '../../src/study/types.ts';

const text = readFileSync(join(import.meta.dirname, '../../CONTRIBUTING.md'), 'utf8');
const section = /^## Measurements and their metrics$([\s\S]*?)^## /m.exec(text)![1]!;
const rows = section.split('\n').flatMap((line) => {
  const cells = line.split(/(?<!\\)\|/).map((cell) => cell.trim());
  return cells.length === 5 ? [cells.slice(1, 4) as [string, string, string]] : [];
});

/** Each word with arguments that show all its metrics; names that a study chooses are in capitals. */
const words: Readonly<Record<Exclude<keyof typeof measure, 'around' | 'custom'>, readonly { metrics: object }[]>> = {
  startup: [measure.startup({ after: 'crash' })],
  shutdown: [measure.shutdown()],
  memory: [measure.memory()],
  idle: [measure.idle()],
  query: [measure.query('SELECT 1')],
  analyze: [measure.analyze('SELECT 1')],
  profile: [measure.profile('SELECT 1')],
  statements: [measure.statements({ STEP: 'SELECT 1' })],
  sysbench: [measure.sysbench()],
  command: [measure.command('true')],
  mtr: [measure.mtr('main.1st', { analyses: ['NAME'] })],
  status: [measure.status(['COUNTER'])],
  innodbMetrics: [measure.innodbMetrics(['NAME'])],
  innodbStatus: [measure.innodbStatus()],
  timeline: [
    measure.timeline(['rss', 'cpu', 'read', 'written', 'deviceRead', 'deviceWritten', 'deviceBusy', 'COUNTER']),
  ],
  perf: [measure.perf({ mode: 'stat' }), measure.perf({ mode: 'record' })],
};

it('every metric with its unit is in the table of CONTRIBUTING.md, and no other', () => {
  const declared = Object.entries(words).flatMap(([word, all]) =>
    all.flatMap(({ metrics }) =>
      Object.entries(metrics as Record<string, Metric>).map(([name, { unit }]) => `${word}.${name} ${unit}`),
    ),
  );
  const documented = rows.flatMap(([names, unit]) => {
    let word = '';
    return [...names.matchAll(/`([^`]+)`/g)].flatMap(([, name]) => {
      const address = /^([a-zA-Z]+)\.(.+)$/.exec(name!);
      if (address !== null) word = address[1]!;
      return word in words ? [`${word}.${address?.[2] ?? name} ${unit}`] : [];
    });
  });
  expect([...documented].sort()).toEqual([...new Set(declared)].sort());
});

it('every word of measure says there how it measures and what it disturbs', () => {
  const described = rows.flatMap(([names]) => [...names.matchAll(/`(\w+)\(/g)].map((match) => match[1]!));
  expect([...new Set(described)].sort()).toEqual(Object.keys(measure).sort());
});
