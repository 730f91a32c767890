// The session host's own seal keys: generates or derives them, and reseals older values with them before the host starts.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { toKeyMark } from '../../shared/seal.ts'
import { deriveHostSealKeys, parseSealKeys } from '../../shared/seal-keys.ts'
import { OperatorError, type Settings } from '../settings/gateway-settings.ts'
import { loadSecret } from './secret-file.ts'

/** The mark in the store that all its values are resealed. */
const HOST_KEYS_VERSION = 1

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
  const marks = parseSealKeys(sealKeys).map(({ id }) => toKeyMark(id))
  const unlike = marks.map(() => 'AND substr(value, 1, ?) <> ?').join(' ')
  const sql = `SELECT 1 FROM credentials WHERE substr(value, 1, 1) = ? ${unlike} LIMIT 1`
  return !!queryStore(file, (store) =>
    store.prepare(sql).get(toKeyMark('').subarray(0, 1), ...marks.flatMap((mark) => [mark.length, mark])),
  )
}

/** Can be interrupted: every row opens with the old or the new key, and the next start continues. */
export async function moveToHostKeys(
  settings: Settings,
  secrets: { sealKeys: string; hostSealKeys: string },
): Promise<void> {
  const { DATA_DIR, SESSION_STORE_URL } = settings
  const file = toStorePath(DATA_DIR)
  if (!SESSION_STORE_URL && (!existsSync(file) || usesHostKeys(file))) return
  // Loaded only here, because loading it is slow and most starts do not need it.
  const { moveHostStore } = await import('./move-host-store.ts')
  const keys = { sealKeys: secrets.hostSealKeys, previousKeys: secrets.sealKeys }
  try {
    await moveHostStore(settings, keys, HOST_KEYS_VERSION)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new OperatorError(`The session host's store could not be sealed with its own keys: ${reason}`)
  }
}

const usesHostKeys = (file: string): boolean =>
  !!queryStore(
    file,
    (store) => Number(store.prepare('PRAGMA user_version').get()?.user_version) >= HOST_KEYS_VERSION,
  )

/** Undefined for a file that cannot be read: the host reports the error. */
function queryStore<Value>(file: string, query: (store: DatabaseSync) => Value): Value | undefined {
  try {
    const store = new DatabaseSync(file, { readOnly: true })
    try {
      return query(store)
    } finally {
      store.close()
    }
  } catch {
    return undefined
  }
}
