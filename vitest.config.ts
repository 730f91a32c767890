// How the tests run: three files at a time, because each has a gateway, and waits now and then. Which gateway: test/README.md.

import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import ShuffledFiles from './test/shuffled-files.ts'
import { partlySlowFiles, slowFiles, testFiles } from './test/slow-files.ts'

/** `quick` or `slow`, as the commands of package.json say; a run that names files needs neither. */
const { TESTS, EDGE_ENGINE } = process.env
/** The architecture's are a part of `npm run check`. */
const isOfArchitecture = (file: string): boolean => file.startsWith('test/architecture/')
const chosen =
  TESTS === 'slow'
    ? [...slowFiles, ...partlySlowFiles]
    : TESTS === 'quick'
      ? testFiles.filter((file) => !slowFiles.includes(file) && !isOfArchitecture(file))
      : testFiles
/**
 * Their clients are the library as it is published. Whoever loads the host's driver changes the library for its whole process, so
 * these have processes of their own.
 */
const PUBLISHED = /test\/(journey\/false-claims|wire\/(import|move-in-|simulator-))/
/**
 * It counts what comes twice after a kill, which depends on how much was on its way at that moment: files beside it would be
 * measured with it. They have ended before it begins.
 */
const ALONE = 'test/delivery/kill.test.ts'

/**
 * The published library asks for its groups again when the network says that they changed, and nothing catches its error when the
 * connection is closed meanwhile. In the tests of `published` that fails no test. Of the gateway's own processes it would be a defect.
 */
function isOfPublishedClient(error: { message?: string; stack?: string }): boolean {
  const file = 'VITEST_TEST_PATH' in error ? String(error.VITEST_TEST_PATH) : ''
  return (
    error.message === 'Connection Closed' &&
    /node_modules\/baileys\/lib\//.test(error.stack ?? '') &&
    PUBLISHED.test(file)
  )
}

export default defineConfig({
  test: {
    tags: [
      { name: 'slow', description: '`npm test` leaves it to `npm run test:slow`: see test/slow-files.ts.' },
    ],
    onUnhandledError: (error) => (isOfPublishedClient(error) ? false : undefined),
    projects: [
      {
        extends: true,
        test: { name: 'own', include: chosen.filter((file) => !PUBLISHED.test(file) && file !== ALONE) },
      },
      { extends: true, test: { name: 'published', include: chosen.filter((file) => PUBLISHED.test(file)) } },
      {
        extends: true,
        test: {
          name: 'alone',
          include: chosen.filter((file) => file === ALONE),
          sequence: { groupOrder: 1 },
        },
      },
    ],
    globalSetup: './test/run-folder.ts',
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    // What a file imports is loaded once a process: most of them need the library and the simulated network, 1.5 s of processor time.
    // So a file ends what it starts, and gives back what it changes of its process. A file that cannot share one with others says so
    // in its first lines, by `@vitest-environment-options` that no other file has.
    isolate: false,
    sequence: { sequencer: ShuffledFiles },
    // Node runs the code as it stands, as it does in the product: what a file imports is compiled once, not once a file.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    execArgv: ['--import', join(import.meta.dirname, 'shared', 'node', 'quick-imports.ts')],
    // Whole runs share two cores between many gateways. A race must not hide what the other tests found, nor be hidden itself:
    // what needed its second try is named at the end. Who names files sees a race at once.
    retry: TESTS || EDGE_ENGINE ? 1 : 0,
    reporters: ['default', './test/retried-tests.ts'],
    // Tests that say they may run beside each other mostly wait.
    maxConcurrency: 30,
  },
})
