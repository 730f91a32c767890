// The session host's own seal keys: generated at the first run, or derived from SEAL_KEYS.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { toKeyMark } from '@msgnet/shared/seal.ts'
import { deriveHostSealKeys, parseSealKeys } from '@msgnet/shared/seal-keys.ts'
import type { Settings } from '../settings/gateway-settings.ts'
import { loadSecret } from './secret-file.ts'

const toStorePath = (dataDir: string) => join(dataDir, 'host', 'host.db')

/** HOST_SEAL_KEYS, the keys of the data folder, and those derived from SEAL_KEYS: the first one seals, all of them open. */
export async function loadHostKeys(settings: Settings, sealKeys: string): Promise<string> {
  const { DATA_DIR, SEAL_KEYS, HOST_SEAL_KEYS } = settings
  const file = join(DATA_DIR, 'host-seal-keys')
  const own = [HOST_SEAL_KEYS, readOwnKeys()].filter(Boolean).join(',')
  return deriveHostSealKeys(own, sealKeys)

  function readOwnKeys(): string {
    if (existsSync(file)) return readFileSync(file, 'utf8').trim()
    if (SEAL_KEYS || HOST_SEAL_KEYS) return ''
    if (hasForeignValues(toStorePath(DATA_DIR), sealKeys))
      throw new OperatorError(
        `The host's seal keys of ${DATA_DIR} are missing: restore ${file} or set HOST_SEAL_KEYS.`,
      )
    return loadSecret(file, () => `h1:${randomBytes(32).toString('base64')}`)
  }
}

/** Whether the store has values of a host key that is not derived from `sealKeys`: new keys could not open them. */
function hasForeignValues(file: string, sealKeys: string): boolean {
  if (!existsSync(file)) return false
  const marks = parseSealKeys(sealKeys).map(({ id }) => toKeyMark(id))
  const unlike = marks.map(() => 'substr(value, 1, ?) <> ?').join(' AND ')
  const sql = `SELECT 1 FROM credentials WHERE ${unlike} LIMIT 1`
  try {
    const store = new DatabaseSync(file, { readOnly: true })
    try {
      return store.prepare(sql).get(...marks.flatMap((mark) => [mark.length, mark])) !== undefined
    } finally {
      store.close()
    }
  } catch (error) {
    const { message } = error as Error
    // The start that created the file was ended before its tables were there.
    if (message.startsWith('no such table')) return false
    // Once there are new keys, nothing says any more that the old ones are missing.
    throw new OperatorError(
      `The file host-seal-keys is missing, and ${file} cannot be read to see whether it needs it: ${message}.`,
    )
  }
}
