// The file in a data folder that says which version is needed to use it.

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FOLDER_NEEDS, formats } from '../../shared/format.ts'
import { Complaint } from '../settings/settings.ts'

/** Throws a Complaint if a newer version has changed the folder so that this one cannot use it. */
export function claimFormat(dataDir: string): void {
  const file = join(dataDir, 'format')
  const [format = '', needs = ''] = existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ') : []
  if (Number(format) > formats.folder)
    throw new Complaint(
      `A newer version has changed ${dataDir}: start version ${needs} or a later one, or restore a backup from before.`,
    )
  const present = `${formats.folder} ${FOLDER_NEEDS}`
  if (`${format} ${needs}` !== present) writeFileSync(file, `${present}\n`, { mode: 0o600 })
}
