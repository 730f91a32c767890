// The gateway that a file shares with others: it makes instances of its own there, and neither counts nor changes what is for all.

import { inject } from 'vitest'
import { openWorld, type SharedWorld } from './world.ts'

export function sharedWorld(): SharedWorld {
  const dataDir = inject('dataDir')
  if (!dataDir) throw new Error('a file that shares a gateway is named in test/sharing.ts')
  return openWorld(dataDir)
}
