import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runTool } from '../../src/lib/process/run-tool.ts';
import { argvText, quotesEscaped, shellQuote } from '../../src/lib/process/shell-quote.ts';

test('a word has quotes only where it needs them', () => {
  expect(['--a=/b,c', '', "it's", 'a b', '{cache}/x', '$HOME'].map((word) => shellQuote(word))).toEqual([
    '--a=/b,c',
    "''",
    "'it'\\''s'",
    "'a b'",
    "'{cache}/x'",
    "'$HOME'",
  ]);
  expect(shellQuote('{cache}/x', '{}')).toBe('{cache}/x');
  expect(shellQuote('a\0b')).toBe('ab');
  expect(quotesEscaped("a'b")).toBe("a'\\''b");
});

test('a command line is ready to paste: a shell reads the same arguments back', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.string({ unit: 'grapheme', minLength: 0, maxLength: 12 }).filter((text) => !/[\0\r]/.test(text)),
        { maxLength: 5 },
      ),
      async (args) => {
        const line = argvText(['printf', '%s\\0', ...args]);
        const { stdout } = await runTool('sh', ['-c', line]);
        expect(stdout).toBe(args.length === 0 ? '\0' : `${args.join('\0')}\0`);
      },
    ),
    { numRuns: 20 },
  );
});
