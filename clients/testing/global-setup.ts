// For test runners with a set-up that is made once, such as `globalSetup` of Vitest: a laboratory for all tests, with a gateway ready for each that wants one
// of its own.

import { type LabOptions, startServer } from './start-lab.ts'

// A test runner passes arguments of its own.
export default () => setUpLab()

/** Tests find it by `MSGNET_LAB`. Resolves with what ends it; a laboratory that runs already is left as it is. */
export async function setUpLab(options: LabOptions = {}): Promise<() => Promise<void>> {
  if (process.env.MSGNET_LAB) return async () => undefined
  const { url, end } = await startServer({ spare: 1, ...options })
  process.env.MSGNET_LAB = url
  return async () => {
    delete process.env.MSGNET_LAB
    await end()
  }
}
