import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // For what hangs. The slowest take a third of it on a machine that is busy with other things.
    testTimeout: 90_000,
    hookTimeout: 90_000,
    // One more than the cores of CI: a test waits for processes and clocks more than a third of its time.
    maxWorkers: 3,
    pool: 'forks',
  },
})
