import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { alias: { benchbook: fileURLToPath(new URL('src/index.ts', import.meta.url)) } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/bench/**', 'test/cases/**'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Reports must not depend on where they are made; a test that needs another zone sets it for a child process.
    env: { TZ: 'UTC' },
  },
});
