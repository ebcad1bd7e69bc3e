import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

/** Files that change settings of the machine, or compare times: no other test may run beside them. */
const ALONE = ['test/host/**/*.test.ts', 'test/cli/folders.test.ts', 'test/formats/linear.test.ts'];

/** Files that leave no state in modules: they share them, so that modules load once a worker instead of once a file. */
const SHARED = ['analysis', 'formats', 'journal', 'lib', 'plan', 'render', 'report', 'study'].map(
  (room) => `test/${room}/**/*.test.ts`,
);

export default defineConfig({
  resolve: { alias: { benchbook: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
  test: {
    globalSetup: 'test/compile-once.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Reports must not depend on where they are made; a test that needs another zone sets it for a child process.
    env: { TZ: 'UTC' },
    projects: [
      {
        extends: true,
        test: {
          name: 'side by side',
          include: ['test/**/*.test.ts'],
          exclude: ['test/bench/**', 'test/cases/**', ...SHARED, ...ALONE],
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      {
        extends: true,
        test: {
          name: 'shared modules',
          include: SHARED,
          exclude: ALONE,
          isolate: false,
          maxWorkers: 3,
          sequence: { groupOrder: 0 },
        },
      },
      { extends: true, test: { name: 'alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 1 } } },
    ],
  },
});
