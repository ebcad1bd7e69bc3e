import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { numberOf, sameOptionValue } from '../../src/formats/option-value.ts';
import { creationOptions, newlyCounted, whileMaking } from '../../src/server/data/data-options.ts';
import { canonicalOptions } from '../../src/server/options/canonical-options.ts';
import { optionArguments, optionsKey } from '../../src/server/options/options.ts';
import { nameFor, variablesOf, versionNumber } from '../../src/server/options/spelling.ts';
import { optionsFile } from '../../src/server/process/argv.ts';

const MARIADB = { family: 'mariadb', version: '10.11.19-MariaDB-0+deb12u1' } as const;
const MYSQL9 = { family: 'mysql', version: '9.7.4-2' } as const;
const MYSQL56 = { family: 'mysql', version: '5.6.24' } as const;

test('options are spelt as each server wants them', () => {
  const options = {
    innodb_buffer_pool_size: '128M',
    'Innodb-Stats-Persistent': false,
    log_bin: true,
    skip_name_resolve: false,
    skip_log_bin: false,
    slave_parallel_workers: 4,
    loose_rocksdb_block_cache_size: '1G',
  };
  expect(optionArguments(options, MARIADB)).toEqual([
    '--innodb-buffer-pool-size=128M',
    '--innodb-stats-persistent=OFF',
    '--log-bin',
    '--skip-name-resolve=OFF',
    '--slave-parallel-workers=4',
    '--loose-rocksdb-block-cache-size=1G',
  ]);
  expect(optionArguments(options, MYSQL9)).toContain('--replica-parallel-workers=4');
  expect(optionArguments(options, MYSQL56)).toContain('--slave-parallel-workers=4');
  expect(optionArguments({ log_bin: false, skip_log_bin: true }, MYSQL9)).toEqual(['--skip-log-bin', '--skip-log-bin']);
});

test('an option is looked for under the names that it may have', () => {
  expect(nameFor('tx-isolation', MYSQL9)).toBe('transaction_isolation');
  expect(nameFor('loose_x', MARIADB)).toBe('x');
  expect(variablesOf('skip_log_bin')).toEqual([
    { variable: 'skip_log_bin', inverted: false },
    { variable: 'log_bin', inverted: true },
  ]);
  expect(variablesOf('skip_ssl').map(({ variable }) => variable)).toEqual(['skip_ssl', 'ssl', 'have_ssl']);
  expect(versionNumber('10.11.19-MariaDB')).toBe(101119);
  expect(versionNumber('9.7.4-2')).toBe(90704);
});

test('an option makes another data directory unless it is known to be harmless', () => {
  const counted = {
    innodb_compression_algorithm: 'zlib',
    'Innodb-Fill-Factor': 50,
    loose_rocksdb_default_cf_options: 'compression=kZSTD',
    rocksdb_wal_size: '1G',
    default_storage_engine: 'MyISAM',
    sql_mode: '',
    innodb_change_buffering: 'none',
    innodb_doublewrite: false,
    innodb_option_of_a_later_version: 1,
    option_of_a_plugin: 'x',
  };
  expect(Object.keys(creationOptions(counted))).toHaveLength(Object.keys(counted).length);
  for (const [name, value] of Object.entries(counted))
    expect(optionsKey(creationOptions({ [name]: value })), name).not.toBe(optionsKey(creationOptions({})));
  const harmless = [
    'innodb_buffer_pool_size',
    'innodb-flush-method',
    'Loose_Max_Connections',
    'sync_binlog',
    'log_bin',
    'read_only',
  ];
  expect(creationOptions(Object.fromEntries(harmless.map((name) => [name, 1])))).toEqual({});
  expect(newlyCounted({ innodb_page_size: '8k', innodb_fill_factor: 50, max_connections: 9 })).toEqual([
    'innodb_fill_factor',
  ]);
  expect(whileMaking({ innodb_page_size: '8k', rocksdb_wal_size: '1G', loose_x: 1 })).toEqual({
    innodb_page_size: '8k',
    loose_rocksdb_wal_size: '1G',
    loose_x: 1,
  });
});

test('options of the layout make another data directory, under the same key as before', () => {
  const options = { innodb_page_size: '8k', innodb_buffer_pool_size: '1G', 'lower-case-table-names': 1 };
  expect(creationOptions(options)).toEqual({ innodb_page_size: '8k', lower_case_table_names: 1 });
  expect(optionsKey({ a: 1, b: 2 })).toBe(optionsKey({ b: 2, a: 1 }));
  expect(optionsKey({ a: 1 })).not.toBe(optionsKey({ a: 2 }));
});

describe('two spellings of a value', () => {
  it.each([
    ['128M', '134217728', true],
    ['1G', '1024M', true],
    ['true', 'ON', true],
    ['0', 'OFF', true],
    ['fsync', 'FSYNC', true],
    ['128MM', '134217728', false],
    ['5', '10', false],
    ['O_DIRECT', 'fsync', false],
    ['1', '10', false],
  ])('%s and %s: the same is %s', (requested, effective, same) => {
    expect(sameOptionValue(requested, effective)).toBe(same);
  });

  it('numbers are the same whatever suffix they are written with', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 20 }), fc.constantFrom('K', 'M', 'G', 'k', 'm', 'g'), (n, suffix) => {
        const factor = { k: 2 ** 10, m: 2 ** 20, g: 2 ** 30 }[suffix.toLowerCase()]!;
        expect(numberOf(`${n}${suffix}`)).toBe(n * factor);
        expect(sameOptionValue(`${n}${suffix}`, String(n * factor))).toBe(true);
      }),
    );
  });
});

test('the options file says what the command line said', () => {
  const argv = [
    '/l/ld.so',
    '--library-path',
    '/l',
    '/s/mariadbd',
    '--no-defaults',
    '--datadir=/d',
    '--skip-networking',
    '--init-connect=SET NAMES "x"',
  ];
  expect(optionsFile(argv)).toBe('[mysqld]\ndatadir = /d\nskip-networking\ninit-connect = "SET NAMES \\"x\\""\n');
});

test('dashes, case and prefixes make no other option, and one that is given twice is an error that names both', () => {
  const place = () => ({ file: 'x' });
  expect(canonicalOptions({ 'innodb-flush-method': 'fsync', Loose_X: 1, '--sync-binlog': 0 }, place)).toEqual({
    innodb_flush_method: 'fsync',
    loose_x: 1,
    sync_binlog: 0,
  });
  for (const [one, other] of [
    ['innodb-flush-method', 'innodb_flush_method'],
    ['Innodb_Flush_Method', 'innodb_flush_method'],
    ['loose_innodb_flush_method', 'innodb-flush-method'],
    ['tx_isolation', 'transaction-isolation'],
    ['slave_parallel_workers', 'replica_parallel_workers'],
    ['skip-log-bin', 'log_bin'],
  ] as const)
    expect(() => canonicalOptions({ [one]: 1, [other]: 2 }, place)).toThrow(
      `"${one}" and "${other}" are the same option, given twice.`,
    );
  expect(() => canonicalOptions({ log_bin: true, log_bin_index: 'x', skip_name_resolve: true }, place)).not.toThrow();
});
