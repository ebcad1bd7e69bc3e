import { closest, distance } from 'fastest-levenshtein';
import { z } from 'zod';
import { BenchbookError } from '../../lib/errors.ts';
import { wrongIn } from '../../lib/schema-forms.ts';

/** A whole number of things to do. */
export const count = (min: number, max: number) =>
  z
    .int(`must be a whole number from ${min} to ${max}`)
    .min(min, `must be at least ${min}`)
    .max(max, `must be at most ${max}`);

/** A time in seconds. */
export const seconds = (min: number, max: number) =>
  z.number('must be a number of seconds').min(min, `must be at least ${min}`).max(max, `must be at most ${max}`);

/** A text with something in it. */
export const text = z.string('must be a text').refine((value) => value.trim() !== '', 'must not be empty');

/**
 * What a study's author gave to one of the words of `measure`, checked and with its defaults.
 * @throws BenchbookError('study') in one sentence that names the word and the option.
 */
export function optionsOf<S extends z.ZodType>(word: string, shape: S, given: unknown): z.output<S> {
  const result = shape.safeParse(given);
  if (result.success) return result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.map(String);
  if (issue.code === 'unrecognized_keys') {
    const key = issue.keys[0]!;
    const near = nearestOf(key, path.length === 0 && shape instanceof z.ZodObject ? Object.keys(shape.shape) : []);
    throw new BenchbookError('study', `${word} has no option "${[...path, key].join('.')}".`, {
      hint: [near, ...exampleOf(word)].join('; '),
    });
  }
  const wrong = wrongIn(shape, given, issue);
  const name = wrong.path.join('.');
  const sentence = wrong.missing
    ? `${word} needs "${name}": ${wrong.sentence}.`
    : `${word} was given a wrong ${name === '' ? 'argument' : `"${name}"`}: ${wrong.sentence}.`;
  const [hint] = exampleOf(word);
  throw new BenchbookError('study', sentence, hint === undefined ? {} : { hint });
}

function exampleOf(word: string): readonly string[] {
  const example = EXAMPLES[word];
  return example === undefined ? [] : [`for example \`${example}\``];
}

const EXAMPLES: Readonly<Record<string, string>> = {
  'measure.startup': "measure.startup({ after: 'stop' })",
  'measure.shutdown': "measure.shutdown({ mode: 'slow' })",
  'measure.memory': "measure.memory({ when: 'idle', idleSeconds: 5 })",
  'measure.idle': 'measure.idle({ limitSeconds: 60 })',
  'measure.query':
    "measure.query('SELECT COUNT(*) AS n FROM t', { iterations: 5, expect: [{ n: 1000 }], database: 'bench' })",
  'measure.analyze': "measure.analyze('SELECT * FROM t', { iterations: 1, database: 'bench' })",
  'measure.profile': "measure.profile('SELECT * FROM t', { database: 'bench' })",
  'measure.statements': "measure.statements({ load: 'INSERT INTO t SELECT * FROM s' }, { database: 'bench' })",
  'measure.sysbench':
    "measure.sysbench({ test: 'oltp_read_write', tables: 4, tableSize: 10000, threads: 8, time: 30 })",
  'measure.command': "measure.command(['mariadb-admin', '--socket={socket}', 'ping'])",
  'measure.mtr': "measure.mtr('main.1st', { options: ['--mysqld=--innodb-buffer-pool-size=128M'] })",
  'measure.around': "measure.around(measure.query('SELECT 1'), [measure.status(['Handler_read_rnd_next'])])",
  'measure.status': "measure.status(['Handler_read_rnd_next'])",
  'measure.innodbMetrics': "measure.innodbMetrics(['buffer_pool_read_requests'])",
  'measure.timeline': "measure.timeline(['cpu', 'rss'], { intervalMs: 100 })",
  'measure.perf': "measure.perf({ mode: 'stat' })",
};

/** "did you mean …?" where a word is near, else what there is. */
export function nearestOf(word: string, known: readonly string[]): string {
  if (known.length === 0) return 'there are none';
  const lower = new Map(known.map((name) => [name.toLowerCase(), name]));
  const found = closest(word.toLowerCase(), [...lower.keys()]);
  if (distance(word.toLowerCase(), found) <= Math.max(2, Math.ceil(word.length / 3))) {
    return `did you mean "${lower.get(found)}"?`;
  }
  return known.length > 30 ? 'there is none of a name like it' : `known: ${known.join(', ')}`;
}
