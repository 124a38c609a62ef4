import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Twice the cores of CI: more than a third of the time, a test waits for processes and clocks.
    maxWorkers: 4,
    pool: 'forks',
  },
})
