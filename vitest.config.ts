// How the tests run: a world a file, but for those that share one; three files at a time, because each world is a whole gateway, and waits now and then.

import { join } from 'node:path'
import { configDefaults, defineConfig } from 'vitest/config'
import { sharing } from './test/shared-files.ts'
import { slow } from './test/slow.ts'

/** `quick` or `slow`, as the commands of package.json say; a run that names files needs neither. */
const { TESTS, EDGE_ENGINE } = process.env
/**
 * It counts what comes twice after a kill, which depends on how much was on its way at that moment: files beside it would be
 * measured with it. They have ended before it begins.
 */
const alone = ['test/delivery/kill.test.ts']
/** On the engine of `npm run test:cloudflare` objects are evicted all the time: there each file has a gateway of its own. */
const together = TESTS === 'slow' || EDGE_ENGINE ? [] : sharing
const all = TESTS === 'slow' ? slow : ['test/**/*.test.ts']
/**
 * Their clients are the library as it is published. Whoever loads the host's driver changes the library for its whole process, so
 * these have workers of their own.
 */
const published =
  TESTS === 'slow' ? [] : ['test/journey/false-claims.test.ts', 'test/wire/simulator-*.test.ts']
/**
 * Of these one loads another version of the library, and two of them in one process share the definitions of their messages; one
 * shows each fault of the library before it is mended in its process; one reads what its process has counted from its start; one
 * loads wrangler, after which a process cannot catch its errors in another way; and two load the engine of n8n.
 */
const apart = [
  'test/clients/n8n-nodes.test.ts',
  'test/clients/n8n-trigger.test.ts',
  'test/contract/deploy.test.ts',
  'test/observability/database-health.test.ts',
  'test/scenarios/older-library.test.ts',
  'test/wire/patches.test.ts',
]
const exclude = [...configDefaults.exclude, ...(TESTS === 'quick' ? [...slow, 'test/architecture/**'] : [])]

/**
 * The published library asks for its groups again when the network says that they changed, and nothing catches its error when the
 * connection is closed meanwhile. In the tests of `published` that fails no test. Of the gateway's own processes it would be a defect.
 */
function isOfPublishedClient(error: { message?: string; stack?: string }): boolean {
  const file = 'VITEST_TEST_PATH' in error ? String(error.VITEST_TEST_PATH) : ''
  return (
    error.message === 'Connection Closed' &&
    /node_modules\/baileys\/lib\//.test(error.stack ?? '') &&
    /\/test\/(wire\/simulator-|journey\/false-claims)/.test(file)
  )
}

export default defineConfig({
  test: {
    onUnhandledError: (error) => (isOfPublishedClient(error) ? false : undefined),
    projects: [
      {
        extends: true,
        test: {
          name: 'own',
          include: all,
          exclude: [...exclude, ...together, ...published, ...apart, ...alone],
        },
      },
      { extends: true, test: { name: 'wire', include: published, exclude } },
      {
        extends: true,
        test: { name: 'apart', isolate: true, include: TESTS === 'slow' ? [] : apart, exclude },
      },
      {
        extends: true,
        test: { name: 'alone', include: alone, exclude, sequence: { groupOrder: 1 } },
      },
      {
        extends: true,
        test: { name: 'shared', include: together, exclude, globalSetup: './test/shared-gateway.ts' },
      },
    ],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 3,
    // What a file imports is loaded once a worker: most of them need the library and the simulated network, 1.5 s of processor time.
    // So a file ends what it starts, and gives back what it changes of its process.
    isolate: false,
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
