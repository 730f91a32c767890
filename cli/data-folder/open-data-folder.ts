// The data folder of a start: closed to others, locked, and another one where an earlier gateway is in that which no variable names.

import { resolve } from 'node:path'
import type { Settings } from '../settings/gateway-settings.ts'
import { claimPort } from '../settings/ports.ts'
import { nameOwnFolder } from '../settings/second-gateway.ts'
import { FolderInUse, type Lock, lockDataDir } from './folder-lock.ts'
import { restrictDataFolder } from './restrict-folder.ts'

/** Throws an OperatorError when another gateway runs on the folder, unless this one may have a folder of its own. */
export async function openDataFolder(settings: Settings): Promise<{ settings: Settings; lock: Lock }> {
  restrictDataFolder(settings.DATA_DIR)
  try {
    return { settings, lock: lockDataDir(settings.DATA_DIR) }
  } catch (error) {
    const own = settings.explicit.has('DATA_DIR') ? undefined : nameOwnFolder(settings.PORT)
    const isOwn = own !== undefined && resolve(own) === settings.DATA_DIR
    if (!(error instanceof FolderInUse) || own === undefined || isOwn) throw error
    // If the gateway in that folder has this very port, a second folder would hide its data from its next start.
    await claimPort('PORT', settings.HOST, settings.PORT)
    return openDataFolder({ ...settings, DATA_DIR: resolve(own) })
  }
}
