import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import * as api from '../../src/index.ts';
import { measure } from '../../src/measure/measure.ts';
import { loadStudy } from '../../src/study/load.ts';

const file = join(import.meta.dirname, '../../studies/every-measurement.study.ts');

it('a study of the repository uses every measurement, and loads', async () => {
  const text = readFileSync(file, 'utf8');
  const used = new Set([...text.matchAll(/\bmeasure\.(\w+)\(/g)].map((match) => match[1]!));
  expect([...used].sort()).toEqual(Object.keys(measure).sort());
  expect((await loadStudy(file, api)).metrics).toHaveProperty('scan.task-clock');
});
