import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { familyOf } from '../../families/families.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Options } from '../../study/types.ts';
import { type Build, programWords } from '../build.ts';
import { engineArguments } from '../engines/engines.ts';
import { optionArguments } from '../options/options.ts';

interface ArgvRequest {
  readonly dataDirectory: string;
  readonly socketFolder: string;
  readonly options: Options;
  readonly engine?: string;
  readonly prefix?: readonly string[];
  readonly core?: boolean;
}

/** The exact command line of a server; `argvText` renders it ready to paste. */
export function serverArgv(build: Build, request: ArgvRequest): readonly string[] {
  const { dataDirectory, socketFolder, options, prefix = [], core = false } = request;
  return [
    ...prefix,
    ...programWords(build),
    ...familyOf(build).arguments(build.version),
    ...optionArguments(options, build),
    // After the study's options: of an option that is given twice, a server takes the last.
    `--datadir=${dataDirectory}`,
    `--tmpdir=${dataDirectory}.tmp`,
    `--socket=${join(socketFolder, 's')}`,
    `--pid-file=${join(socketFolder, 'pid')}`,
    '--skip-networking',
    ...(core ? ['--core-file'] : []),
    ...engineArguments(build, request.engine),
  ];
}

/** The same options as a file for `--defaults-file`, to be kept with the results. */
export function optionsFile(argv: readonly string[]): string {
  const lines = argv
    .filter(
      (argument) =>
        argument.startsWith('--') && argument !== '--no-defaults' && argument !== '--library-path' && argument !== '--',
    )
    .map((argument) =>
      argument.slice(2).replace(/^([^=]*)=(.*)$/s, (_, name: string, value: string) => `${name} = ${quoted(value)}`),
    );
  return `[mysqld]\n${lines.join('\n')}\n`;
}

/** Where sockets go: a socket's path may have at most 107 bytes, so a long TMPDIR is passed over. */
export function shortTemporaryFolder(): string {
  return Buffer.byteLength(tmpdir()) <= 80 ? tmpdir() : '/tmp';
}

/** @throws BenchbookError('server') for an option file value that no quoting can carry. */
function quoted(value: string): string {
  if (/[\n\r\0]/.test(value)) throw new BenchbookError('server', 'An option holds a line break.');
  return /^[\w./:,+-]*$/.test(value) ? value : `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
}
