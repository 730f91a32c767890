// How the tests run: a world a file, two files at a time, because each world is a whole gateway.

import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Tests that say they may run beside each other mostly wait.
    maxConcurrency: 30,
    // Files of one worker share what they import: loading the network's library anew for each costs a second.
    isolate: false,
  },
})
