import { expect, it } from 'vitest';
import { changes, isBytes, isStatusGauge } from '../../src/measure/probes/counters.ts';

const read = (values: Readonly<Record<string, number>>) => new Map(Object.entries(values));

it('subtracts counters, tells states as they are, and reports neither resets nor names that are not there', () => {
  const before = read({ Questions: 10, Threads_running: 9, Innodb_pages_read: 500 });
  const after = read({ Questions: 15, Threads_running: 2, Innodb_pages_read: 3 });
  const names = ['Questions', 'Threads_running', 'Innodb_pages_read', 'Question'];
  expect(changes(names, before, after, isStatusGauge, 'status counter')).toEqual({
    values: { Questions: 5, Threads_running: 2 },
    missing: {
      Innodb_pages_read: 'it fell from 500 to 3: it was reset in between.',
      Question: 'this server has no status counter "Question" (did you mean "Questions"?).',
    },
  });
});

it('reports no number that wrapped around, and no counter that came later', () => {
  const wrapped = Number('18446744065817975570');
  const found = changes(
    ['A', 'B', 'C'],
    read({ A: 1, B: wrapped }),
    read({ A: wrapped, B: 5, C: 7 }),
    () => false,
    'counter',
  );
  expect(found.values).toEqual({});
  expect(found.missing!.A).toMatch(/a number below 0 that wrapped around/);
  expect(found.missing!.B).toMatch(/a number below 0 that wrapped around/);
  expect(found.missing!.C).toBe('the server did not have it before the measurement.');
});

it.each([
  ['Innodb_data_read', true],
  ['Innodb_data_reads', false],
  ['Bytes_received', true],
  ['Innodb_buffer_pool_bytes_data', true],
  ['Innodb_os_log_written', true],
  ['Innodb_pages_written', false],
  ['Memory_used', true],
])('knows by its name whether %s counts bytes', (name, expected) => {
  expect(isBytes(name)).toBe(expected);
});

it.each([
  ['Threads_running', true],
  ['Innodb_buffer_pool_pages_dirty', true],
  ['Innodb_history_list_length', true],
  ['Innodb_buffer_pool_pages_flushed', false],
  ['Threads_created', false],
  ['Opened_tables', false],
  ['Open_tables', true],
])('knows by its name whether %s is a state', (name, expected) => {
  expect(isStatusGauge(name)).toBe(expected);
});
