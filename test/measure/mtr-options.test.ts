import { expect, test } from 'vitest';
import { measure } from '../../src/measure/measure.ts';

test('mtr empties its folders and starts servers: no option of a study leads it or its server elsewhere', () => {
  const refused = [
    '--vardir=/x',
    '--vard=/x',
    '-VAR=/x',
    '--tmpdir=/x',
    '--extern=socket=/x',
    '--start',
    '--start-and-exit',
  ];
  const ofServer = [
    '--mysqld=--datadir=/x',
    '--mysqld=--datadi=/x',
    '--mysqld=--skip-networking=0',
    '--mys=--datadir=/x',
  ];
  const others = ['--mysqld=--innodb-data-home-dir=/x', '--mysqld-env=MYSQL_HOME=/x', '--mysqld-en=UMASK=0777'];
  for (const option of [...refused, ...ofServer, ...others])
    expect(() => measure.mtr('main.1st', { options: [option] }), option).toThrow(
      /cannot be set by a study|leads out of/,
    );
  const options = [
    '--mysqld=--innodb-buffer-pool-size=128M',
    '--mem',
    '--parallel=1',
    '--suite-timeout=10',
    '--mysqld-env=X=1',
  ];
  expect(measure.mtr('main.1st', { options }).kind).toBe('mtr');
});
