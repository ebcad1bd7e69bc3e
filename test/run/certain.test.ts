import { afterEach, beforeEach, expect, test } from 'vitest';
import { isRefusal } from '../../src/formats/logs/refusal.ts';
import { BenchbookError } from '../../src/lib/errors.ts';
import { isCertain, reasonCodeOf } from '../../src/run/schedule/reason-code.ts';
import { factor, studyOf } from '../plan/studies.ts';
import { fakeWorld } from './fake.ts';
import { type Harness, harness } from './harness.ts';

let place: Harness;
beforeEach(async () => {
  place = await harness();
});
afterEach(() => place.remove());

const study = studyOf({
  factors: [factor('pool', ['wrong', '16M', '32M'])],
  profiles: {},
  replicates: { min: 4, max: 4 },
  policy: { retries: 2 },
  setup: ({ pool }) => ({ server: { source: 'installed' }, options: { innodb_buffer_pool_size: String(pool) } }),
});

const refusing = (sentence: string) =>
  fakeWorld({
    start: async ({ options }) => {
      if (options.innodb_buffer_pool_size !== 'wrong') return;
      throw new BenchbookError('server', `The server exited before it was ready (exit code 7): ${sentence}`, {
        outcome: 'failed',
        repeats: isRefusal(sentence),
      });
    },
  });

test('an option that the server refuses ends its variant at the first start; the others go on, with a first start of their own', async () => {
  const world = refusing("/usr/sbin/mariadbd: unknown variable 'innodb-bufer-pool-size=16M'");
  expect(await place.run({ study, world })).toMatchObject({ trials: 12, ok: 8, notOk: 4 });
  expect(world.log.filter((line) => line === 'start wrong')).toHaveLength(1);
  const trials = await place.trials();
  const wrong = trials.filter(({ cell, block }) => cell.pool === 'wrong' && block > 0);
  expect(wrong.map(({ outcome }) => outcome)).toEqual(Array(4).fill('skipped'));
  expect(wrong[0]!.reason).toMatch(/^given up after its first start, .*unknown variable 'innodb-bufer-pool-size=16M'$/);
  expect(wrong.map(({ reasonCode }) => reasonCode)).toEqual(Array(4).fill('given-up'));
  expect(trials.find(({ outcome }) => outcome === 'failed')).toMatchObject({ reasonCode: 'options-refused', block: 0 });
  expect(trials.filter(({ block }) => block === 0).map(({ outcome }) => outcome)).toEqual(['failed', 'ok']);
});

test('a resumed run remembers it', async () => {
  const controller = new AbortController();
  const first = refusing("unknown option '--nope'");
  let count = 0;
  const stopAt25 = () => {
    count += 1;
    if (count === 25) controller.abort();
    return first.effects.now();
  };
  const stopping = {
    ...first,
    effects: { ...first.effects, now: stopAt25 },
  };
  await place.run({ study, world: stopping, signal: controller.signal });
  const world = refusing("unknown option '--nope'");
  await place.run({ study, world });
  expect(world.log.filter((line) => line === 'start wrong')).toHaveLength(0);
});

test('what may pass is tried as often as the study says', async () => {
  const world = refusing('Can not lock ./ibdata1, error: 11');
  await place.run({ study, world });
  expect(world.log.filter((line) => line === 'start wrong').length).toBeGreaterThan(3);
});

/** As MariaDB 10.11.19 and MySQL 9.7.4 print them; journals written before there were codes hold the sentence only. */
test.each([
  ["unknown variable 'innodb-bufer-pool-size=16M'.", true],
  ["/usr/sbin/mysqld: Error while setting value 'nonsense' to 'innodb-flush-method'.", true],
  [
    "Unknown suffix 'Q' used for variable 'innodb-buffer-pool-size' (value '16Q'). Legal suffix characters are: K, M",
    true,
  ],
  ["Buffered error: Unknown suffix 'a' used for variable 'max_connections' (value 'abc').", true],
  ['Unknown/unsupported storage engine: Nope', true],
  ['InnoDB: Cannot allocate memory for the buffer pool', false],
  ["Can't start server: Bind on TCP/IP port: Address already in use", false],
  ['InnoDB: Error number 28 means "No space left on device"', false],
])('%s: certain to repeat is %s', (line, certain) => {
  const reason = `The server exited before it was ready (exit code 1): ${line}`;
  expect(isCertain({ outcome: 'failed', reason })).toBe(certain);
  expect(isCertain({ outcome: 'crashed', reason })).toBe(false);
  expect(isCertain({ outcome: 'failed', reason: `The query failed: ${line}` })).toBe(false);
});

test.each([
  [{ outcome: 'skipped', reason: 'there is no server for it: no such file' }, 'no-server'],
  [
    { outcome: 'skipped', reason: 'its partner in the duet is skipped: there is no server for it: x' },
    'partner-without-server',
  ],
  [
    {
      outcome: 'skipped',
      reason: 'given up after 3 trials of this variant in a row that did not end ok, the last one: x',
    },
    'given-up',
  ],
  [{ outcome: 'skipped', reason: 'the server has no engine rocksdb' }, 'unsupported'],
  [{ outcome: 'skipped', reason: 'there is no server for it', reasonCode: 'unsupported' }, 'unsupported'],
  [{ outcome: 'failed', reason: 'the query failed' }, undefined],
  [{ outcome: 'ok' }, undefined],
] as const)('the code of %j is %s', (entry, code) => {
  expect(reasonCodeOf(entry)).toBe(code);
});
