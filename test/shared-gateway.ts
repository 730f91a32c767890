// Starts the gateway that the files of `shared-files.ts` share before the first of them, and ends it after the last.

import type { TestProject } from 'vitest/node'
import { startWorld } from './world.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Of the shared gateway. */
    dataDir: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const world = await startWorld()
  project.provide('dataDir', world.dataDir)
  return () => world.close()
}
