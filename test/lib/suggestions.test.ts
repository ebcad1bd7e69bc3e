import { expect, test } from 'vitest';
import { nearest, suggestion, unknownName } from '../../src/lib/suggestions.ts';

const KNOWN = ['startup', 'Shutdown', 'memory'];

test('the nearest word differs in at most a third of its letters, in either case', () => {
  expect(nearest('strtup', KNOWN)).toBe('startup');
  expect(nearest('SHUTDOWN', KNOWN)).toBe('Shutdown');
  expect(nearest('disk', KNOWN)).toBeNull();
  expect(nearest('x', [])).toBeNull();
});

test('an error names the nearest word, or all that there are', () => {
  expect(suggestion('memry', KNOWN)).toBe("did you mean 'memory'?");
  expect(suggestion('disk', KNOWN)).toBe("known: 'startup', 'Shutdown', 'memory'");
  expect(suggestion('disk', [])).toBe('there are none');
  const error = unknownName('metric', 'memry', KNOWN, "measurement 'm'");
  expect(error).toMatchObject({ code: 'usage', hint: 'it has "startup", "Shutdown", "memory"' });
  expect(error.message).toBe('measurement \'m\' has no metric "memry"; did you mean "memory"?');
});
