import { expect, test } from 'vitest';
import type { DraftBlock } from '../../src/draft/types.ts';
import { relabel, rerunLabels } from '../../src/report/relabel.ts';
import { below, claim, noisy, prose, ratio, runOf, stat } from './compare/runs.ts';

const shown = (text: string, from: string, to = `${from} → 11.8.9`) => {
  const run = runOf({
    columns: [{ cell: { server: from }, build: '1.1', values: { 'memory.rss': [1] } }],
    blocks: [prose(text)],
  });
  const [block] = relabel(run, [{ factor: 'server', from, to }]).draft.blocks;
  return (block as Extract<DraftBlock, { type: 'prose' }>).parts[0];
};

test.each([
  ['An idle 10.5 holds', 'An idle 10.5 → 11.8.9 holds'],
  ['in 10.5, and then', 'in 10.5 → 11.8.9, and then'],
  ['by 10.5.', 'by 10.5 → 11.8.9.'],
  ['the release 10.5.23 and 110.5', 'the release 10.5.23 and 110.5'],
  ['10.5-like, v10.5', '10.5-like, v10.5'],
])('a label in prose: %s', (text, expected) => {
  expect(shown(text, '10.5')).toBe(expected);
});

test('a label that is a plain word is changed where it is set as code only', () => {
  expect(shown('the old way, with `old` in place', 'old')).toBe('the old way, with `old → 11.8.9` in place');
  expect(shown('costs $1', '10.5', '$&')).toBe('costs $1');
});

test('cells, plan, baseline, expressions and claims follow', () => {
  const of = { server: '10.5', pool: '1G' };
  const run = runOf({
    columns: [{ cell: of, build: '1.1', values: { 'memory.rss': noisy(1) } }],
    baseline: { server: '10.5' },
    blocks: [
      claim('c', below(ratio('memory.rss', of, of), 1), 'property', 'Of 10.5'),
      prose('Now ', stat('memory.rss', of)),
    ],
  });
  const text = JSON.stringify(relabel(run, [{ factor: 'server', from: '10.5', to: 'X' }]));
  expect(text).toContain('"sentence":"Of X"');
  // What is left of the old label is the draft kept in the run entry, which nobody reads any more.
  const { entries, draft } = relabel(run, [{ factor: 'server', from: '10.5', to: 'X' }]);
  const read = entries.map((entry) => (entry.type === 'run' ? { ...entry, draft: null } : entry));
  expect(JSON.stringify([read, draft]).replaceAll('10.5-1G', '').replaceAll('[\\"10.5', '')).not.toContain('"10.5"');
});

test('a rerun shows its level with the version that stands for it, or the source where there is none', () => {
  const rerun = {
    of: { studyId: 'unit', runId: 'r', head: '' },
    factor: 'server',
    level: '10.5',
    source: 'debian:trixie',
    control: { level: '10.5 (old)', is: '10.5' },
  };
  const run = runOf({
    run: { rerun },
    columns: [{ cell: { server: '10.5' }, build: '11.8.9', values: { 'memory.rss': [1] } }],
  });
  expect(rerunLabels(run.entries)).toEqual([{ factor: 'server', from: '10.5', to: '10.5 → 11.8.9' }]);
  const none = run.entries.filter(({ type }) => type !== 'server');
  expect(rerunLabels(none)[0]!.to).toBe('10.5 → debian:trixie');
  expect(rerunLabels(runOf({ columns: [{ cell: { server: 'a' }, build: '1', values: {} }] }).entries)).toEqual([]);
});

test('two builds of one version are told apart by where the new one comes from', () => {
  const label = (source: string) => {
    const rerun = {
      of: { studyId: 'unit', runId: 'r', head: '' },
      factor: 'server',
      level: 'src',
      source,
      control: { level: 'src (old)', is: 'src' },
    };
    const columns = ['src', 'src (old)'].map((server) => ({
      cell: { server },
      build: '10.11.18',
      values: { 'memory.rss': [1] },
    }));
    return rerunLabels(runOf({ run: { rerun }, columns }).entries)[0]!.to;
  };
  expect(label('git:git@example.org:server.git@main+patches/fix.patch')).toBe('src → 10.11.18 (main+fix.patch)');
  expect(label('debian:trixie')).toBe('src → 10.11.18 (trixie)');
  expect(label('installed:/opt/x/mariadbd')).toBe('src → 10.11.18 (mariadbd)');
});
