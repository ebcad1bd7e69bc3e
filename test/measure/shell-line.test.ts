import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellLine } from '../../src/measure/tools/shell-line.ts';

const PLACES = /\{(socket|pid|server)\}/g;

it.each(['/a b/it\'s $HOME `id` "q" \\', '; touch /nowhere', '$(id)', '-x', '', "'", '"', '/plain/path'])(
  'the shell reads back %j from every kind of quotes',
  (socket) => {
    const line = `printf '%s|' {socket} x{socket}y "{socket}" '{socket}' "a\\"{socket}" {pid} \\'{socket}\\'`;
    const filled = shellLine(line, PLACES, { socket, pid: '5', server: '' });
    const words = [socket, `x${socket}y`, socket, socket, `a"${socket}`, '5', `'${socket}'`];
    expect(execFileSync('sh', ['-c', filled], { encoding: 'utf8' })).toBe(words.map((word) => `${word}|`).join(''));
  },
);

it('the words of a server are quoted already', () => {
  expect(shellLine('{server} --x', PLACES, { server: "/a '/b c'" })).toBe("/a '/b c' --x");
});
