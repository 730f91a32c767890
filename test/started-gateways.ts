// The list of the starts of gateways in one run of the tests, a line for each: the test file that asked for it.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

export const STARTS_FILE = 'starts.txt'

/** The folder of this run. Throws outside a run. */
export function readRunFolder(): string {
  const { TEST_RUN_FOLDER } = process.env
  if (!TEST_RUN_FOLDER) throw new Error('this is no run of the tests')
  return TEST_RUN_FOLDER
}

/** Does nothing outside a run, as in a benchmark. */
export function recordStart(): void {
  const { TEST_RUN_FOLDER } = process.env
  if (!TEST_RUN_FOLDER) return
  const [path = 'not known'] = /test\/[\w/-]+\.test\.ts/.exec(new Error().stack ?? '') ?? []
  appendFileSync(join(TEST_RUN_FOLDER, STARTS_FILE), `${path}\n`)
}
