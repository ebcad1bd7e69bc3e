import { BenchbookError } from '../../lib/errors.ts';
import { checkOptions } from '../../server/settings.ts';

/** Options of mtr that choose its folders, which it empties, or that leave servers running or use other servers. */
const RESERVED = [
  ...['bindir', 'basedir', 'client_bindir', 'defaults_extra_file', 'defaults_file', 'extern', 'tmpdir', 'vardir'],
  ...['start', 'start_and_exit', 'start_dirty', 'stop_keep_alive', 'daemonize_mysqld'],
];

/** @throws BenchbookError('study') for an option, of mtr or of its server, that a study cannot set. mtr takes unique prefixes. */
export function checkMtrOptions(options: readonly string[]): void {
  for (const option of options) {
    const [, written = '', value = ''] = /^--?([\w-]+)(?:=(.*))?$/s.exec(option) ?? [];
    const name = written.replaceAll('-', '_').toLowerCase();
    const reserved = name === '' ? undefined : RESERVED.find((each) => each.startsWith(name.replace(/^no_?/, '')));
    if (reserved !== undefined && name !== 'no') {
      const sentence = `The option "${option}" of measure.mtr is set by Benchbook itself and cannot be set by a study.`;
      throw new BenchbookError('study', sentence, { hint: 'Remove it from the options of measure.mtr.' });
    }
    if ('mysqld_env'.startsWith(name) && name.length > 'mysqld'.length) {
      checkOptions({ options: {}, env: { [value.split('=')[0]!]: value }, known: null });
    } else if (/^m(y|ys|ysq|ysql|ysqld)?$/.test(name)) {
      const [server, ...rest] = value.replace(/^--?/, '').split('=');
      checkOptions({ options: { [server!]: rest.length === 0 ? true : rest.join('=') }, known: null });
    }
  }
}
