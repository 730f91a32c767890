// The file in a data folder with the version that is needed to use it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formats, MIN_FOLDER_VERSION } from '../../shared/data-formats.ts'
import { OperatorError } from '../settings/gateway-settings.ts'

const readFormat = (dataDir: string): string[] => {
  const file = join(dataDir, 'format')
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
}

/** Throws an OperatorError if a newer version has changed the folder so that this one cannot use it. */
export function refuseNewerFormat(dataDir: string): void {
  const [format, needs = ''] = readFormat(dataDir)
  if (Number(format ?? 0) > formats.folder)
    throw new OperatorError(
      `A newer version has changed ${dataDir}: start version ${needs} or a later one, or restore a backup from before.`,
    )
}

/** Once the folder has this version's format. */
export function recordFormat(dataDir: string): void {
  const present = [String(formats.folder), MIN_FOLDER_VERSION]
  if (readFormat(dataDir).join() === present.join()) return
  writeFileSync(join(dataDir, 'format'), `${present.join(' ')}\n`, { mode: 0o600 })
}
