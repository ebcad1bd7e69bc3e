import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { documentOf } from '../../src/cli/report/report-run.ts';
import type { ClaimResult, Inline, ValueRef } from '../../src/report/document.ts';
import { deviceText } from '../../src/report/first-page/at-a-glance.ts';
import { claimList, groupOf } from '../../src/report/first-page/claim-list.ts';
import { leadFigure } from '../../src/report/first-page/lead-figure.ts';
import { leadingClaims, verdictOf } from '../../src/report/first-page/verdict.ts';

const GALLERY = join(import.meta.dirname, '../../output/gallery');
const RUNS = readdirSync(GALLERY, { withFileTypes: true }).flatMap((each) => (each.isDirectory() ? [each.name] : []));

const value = (number: number | null): ValueRef =>
  ({ value: number, text: String(number), metric: 'm', n: 6, interval: '1 to 3', expression: 'm' }) as never;

function claim(id: string, kind: 'property' | 'defect', verdict: ClaimResult['verdict']): ClaimResult {
  return { type: 'claim', id, kind, verdict, sentence: `Sentence of ${id}`, values: [value(2)] } as never;
}

const GOOD = claim('good', 'property', 'supported');
const BAD = claim('bad', 'property', 'refuted');
const DEFECT = claim('defect', 'defect', 'supported');
const FIXED = claim('fixed', 'defect', 'refuted');
const OPEN = claim('open', 'property', 'inconclusive');

test.each([
  ['vda', true, 'a virtual disk (vda)'],
  ['vda rotational', true, 'a virtual disk (vda)'],
  ['xvda', false, 'a virtual disk (xvda)'],
  ['nvme0n1', false, 'NVMe (nvme0n1)'],
  ['sda rotational', true, 'a disk that the virtual machine sees as sda'],
  ['sda rotational', false, 'a rotational disk (sda)'],
  ['sda solid-state', false, 'a disk (sda solid-state)'],
  [null, false, 'an unknown device'],
] as const)('the device %s, in a virtual machine: %s, is %s', (device, isVirtual, text) => {
  expect(deviceText(device, isVirtual)).toBe(text);
});

test('claims are listed with what is wrong first, what is open next, and what holds last', () => {
  expect([GOOD, BAD, DEFECT, FIXED, OPEN].map(groupOf)).toEqual([
    'wanted',
    'unwanted',
    'unwanted',
    'wanted',
    'undecided',
  ]);
  const listed = claimList([GOOD, OPEN, FIXED, DEFECT, BAD]).map(
    ({ content }) => /#(\w+)/.exec(String(content[0]))![1],
  );
  expect(listed).toEqual(['defect', 'bad', 'open', 'good', 'fixed']);
});

test('the claims of the first sentences are those of headline weight, else those that are wrong', () => {
  const all = [GOOD, OPEN, DEFECT, BAD];
  expect(leadingClaims(all, new Set(['open']))).toEqual([OPEN]);
  expect(leadingClaims(all, new Set())).toEqual([DEFECT, BAD]);
  expect(leadingClaims([OPEN, GOOD, FIXED], new Set())).toEqual([GOOD, FIXED]);
});

describe('the verdict', () => {
  const input = (written: Inline | null, claims: readonly ClaimResult[] = [GOOD, BAD, OPEN]) =>
    ({
      draft: written === null ? {} : { verdict: 'written' },
      claims,
      headlines: new Set<string>(),
      resolve: () => written,
    }) as never;

  test('is what the study says', () => {
    const written = ['The pool costs ', value(3), '.'];
    expect(verdictOf(input(written))).toEqual([written]);
  });

  test('is made from the claims where a number of it does not exist, or the study says nothing', () => {
    const made = verdictOf(input(null));
    expect(verdictOf(input(['The pool costs ', value(null), '.']))).toEqual(made);
    const text = made.map((sentence) => sentence.filter((part) => typeof part === 'string').join(''));
    expect(text).toHaveLength(3);
    expect(text[0]).toContain('Sentence of bad');
    expect(text[2]).toBe(
      'Of 3 claims: 1 refuted, 1 inconclusive, 1 as it should be, on this machine and at the sizes measured.',
    );
  });
});

test('the figure is the one that the study names, else one of the metric that leads, else the first', () => {
  const figure = (metric: string, headline?: boolean) => ({ type: 'figure', metric, headline }) as never;
  const leading = [GOOD];
  expect(leadFigure([figure('a'), figure('m'), figure('b', true)], leading)).toMatchObject({ metric: 'b' });
  expect(leadFigure([figure('a'), figure('m')], leading)).toMatchObject({ metric: 'm' });
  expect(leadFigure([figure('a'), figure('b')], leading)).toMatchObject({ metric: 'a' });
  expect(leadFigure([], leading)).toBe(null);
});

test.each(RUNS)('page one of %s: a short verdict, the machine, and each claim in full once', async (name) => {
  const document = await documentOf(join(GALLERY, name), null);
  const text = (content: Inline) => content.map((part) => (typeof part === 'string' ? part : part.text)).join('');
  const sentences = document.verdict
    .map(text)
    .join(' ')
    .split(/(?<=[.!?]) +(?=[A-Z*])/);
  expect(sentences.length).toBeLessThanOrEqual(3);
  expect(document.glance.map(({ term }) => term)).toEqual(
    expect.arrayContaining(['Servers', 'Machine', 'Storage', 'Varied', 'Measured', 'Run it again']),
  );
  const machine = document.glance.find(({ term }) => term === 'Machine')!.text;
  expect(machine).toMatch(/\d+ cores?, \d+ GiB RAM, .*Linux \d/);
  const claims = document.sections.flatMap((block) => (block.type === 'claims' ? block.claims : []));
  expect(document.summary).toHaveLength(claims.length);
  if (document.sections.some(({ type }) => type === 'figure')) expect(document.lead).not.toBe(null);
});
