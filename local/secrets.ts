// What must stay secret on this machine: made at the first run, each in a file of mode 0600 in the data folder.

import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeToken } from '../shared/tokens.ts'
import { Complaint } from './settings.ts'

export interface Secrets {
  adminToken: string
  /** The file that holds the admin token, or the variable it came from. */
  adminTokenKeptIn: string
  sealKeys: string
  /** PEM of the Ed25519 key that signs tokens for the embedded database. */
  databaseKey: string
}

export function keepSecrets(
  dataDir: string,
  given: { ADMIN_TOKEN?: string | undefined; SEAL_KEYS?: string | undefined },
): Secrets {
  const adminTokenFile = join(dataDir, 'admin-token')
  const sealKeysFile = join(dataDir, 'seal-keys')
  if (!given.SEAL_KEYS && !existsSync(sealKeysFile) && existsSync(join(dataDir, 'host-token'))) {
    // New ones would open nothing of what is there.
    throw new Complaint(`The seal keys of ${dataDir} are gone: bring back ${sealKeysFile} or set SEAL_KEYS.`)
  }
  return {
    adminToken: given.ADMIN_TOKEN ?? keep(adminTokenFile, () => makeToken('admin')),
    adminTokenKeptIn: given.ADMIN_TOKEN ? 'the variable ADMIN_TOKEN' : adminTokenFile,
    sealKeys: given.SEAL_KEYS ?? keep(sealKeysFile, () => `k1:${randomBytes(32).toString('base64')}`),
    databaseKey: keep(join(dataDir, 'database-key.pem'), () =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    ),
  }
}

function keep(file: string, make: () => string): string {
  if (!existsSync(file)) writeSecret(file, make())
  return readFileSync(file, 'utf8').trim()
}

/** Whole or not at all: a torn seal key would make every credential unreadable. */
export function writeSecret(file: string, text: string): void {
  const draft = `${file}.draft`
  writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true })
  renameSync(draft, file)
}
