// The gateway that a file shares with others: it makes instances of its own there, and neither counts nor changes what is for all.

import { afterAll, inject } from 'vitest'
import { openWorld, type SharedWorld, startWorld } from './world.ts'

/** One of its own where none is shared. */
export async function openSharedWorld(): Promise<SharedWorld> {
  const dataDir = inject('dataDir')
  if (dataDir) return openWorld(dataDir)
  const world = await startWorld()
  afterAll(() => world.close())
  return world
}
