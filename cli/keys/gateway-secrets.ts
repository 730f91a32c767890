// The secrets of this machine: generated at the first run, each in a file of mode 0600 in the data folder.

import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import { deriveHostSealKeys } from '@msgnet/shared/seal-keys.ts'
import type { Settings } from '../settings/gateway-settings.ts'
import { loadHostKeys } from './host-keys.ts'
import { loadSecret } from './secret-file.ts'

export interface Secrets {
  adminToken: string
  /** The file that holds the admin token, or the variable it came from. */
  adminTokenSource: string
  sealKeys: string
  /** The session host's keys: they do not open values of the edge. */
  hostSealKeys: string
}

export async function loadSecrets(settings: Settings): Promise<Secrets> {
  const { DATA_DIR, ADMIN_TOKEN, SEAL_KEYS } = settings
  const adminTokenFile = join(DATA_DIR, 'admin-token')
  const sealKeysFile = join(DATA_DIR, 'seal-keys')
  if (!SEAL_KEYS && !existsSync(sealKeysFile) && existsSync(join(DATA_DIR, 'host-token'))) {
    // New keys could not open the values that are already sealed.
    throw new OperatorError(
      `The seal keys of ${DATA_DIR} are missing: restore ${sealKeysFile} or set SEAL_KEYS.`,
    )
  }
  const sealKeys = SEAL_KEYS ?? loadSecret(sealKeysFile, () => `k1:${randomBytes(32).toString('base64')}`)
  return {
    adminToken: ADMIN_TOKEN ?? loadSecret(adminTokenFile, () => createToken('admin')),
    adminTokenSource: ADMIN_TOKEN ? 'the variable ADMIN_TOKEN' : adminTokenFile,
    sealKeys,
    hostSealKeys: await loadHostKeys(settings, sealKeys),
  }
}

/** For commands that run while a gateway runs: it generates no keys, because new ones would open nothing. A list is empty if there are none. */
export async function readKeys(
  settings: Pick<Settings, 'DATA_DIR' | 'SEAL_KEYS' | 'HOST_SEAL_KEYS'>,
): Promise<Pick<Secrets, 'sealKeys' | 'hostSealKeys'>> {
  const { DATA_DIR, SEAL_KEYS, HOST_SEAL_KEYS } = settings
  const readKeyFile = (name: string) => {
    const file = join(DATA_DIR, name)
    return existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  }
  const sealKeys = SEAL_KEYS ?? readKeyFile('seal-keys')
  const ownKeys = [HOST_SEAL_KEYS, readKeyFile('host-seal-keys')].filter(Boolean).join(',')
  return {
    sealKeys,
    hostSealKeys: await deriveHostSealKeys(ownKeys, sealKeys),
  }
}
