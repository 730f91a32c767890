// The list of the starts of gateways in one run of the tests, a line for each: the test file that asked for it.

import { appendFileSync } from 'node:fs'
import { join } from 'node:path'

export const STARTS_FILE = 'starts.txt'

/** Where the gateways of this run are lent. Throws outside a run. */
export function readLenderUrl(): string {
  const { TEST_LENDER } = process.env
  if (!TEST_LENDER) throw new Error('this is no run of the tests')
  return TEST_LENDER
}

/** The one that called, in a process that runs test files. */
export function findTestFile(): string {
  const [path = 'not known'] = /test\/[\w/-]+\.test\.ts/.exec(new Error().stack ?? '') ?? []
  return path
}

/** Does nothing outside a run, as in a benchmark. */
export function recordStart(file: string): void {
  const { TEST_RUN_FOLDER } = process.env
  if (TEST_RUN_FOLDER) appendFileSync(join(TEST_RUN_FOLDER, STARTS_FILE), `${file}\n`)
}
