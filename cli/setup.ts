// `npm run setup`: writes the environment files that one server needs before its first start, readable for their owner only.

import { createPublicKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs, parseEnv } from 'node:util'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { runCommand } from '@msgnet/shared/node/run-command.ts'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import { writeSecret } from './keys/secret-file.ts'
import { createDatabaseToken } from './parts/database-part.ts'

const createKey = (id: string) => `${id}:${randomBytes(32).toString('base64')}`
const formatEnvironment = (variables: Record<string, string>) =>
  Object.entries(variables)
    .map(([name, value]) => `${name}=${value}`)
    .join('\n')

/** For a libSQL server that takes tokens of these keys: the server gets the public one. */
function writeDatabaseKeys(folder: string, url: string): Record<string, string> {
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  writeSecret(join(folder, 'database-key.pem'), pem.trim())
  // The server may read it as another user; it is a public key and no secret.
  const publicKey = createPublicKey(pem).export({ type: 'spki', format: 'pem' })
  writeFileSync(join(folder, 'database-key.pub.pem'), publicKey, { mode: 0o644 })
  return { DATABASE_URL: url, DATABASE_TOKEN: createDatabaseToken(pem) }
}

/** An interrupted run may have left the files of a host that was never registered: nothing is sealed with their keys. */
function refuseRegisteredHost(hostFile: string): void {
  if (!existsSync(hostFile) || !parseEnv(readFileSync(hostFile, 'utf8')).HOST_TOKEN) return
  throw new OperatorError(`${hostFile} is of a host that is registered: nothing was changed.`)
}

function runSetup(): void {
  const { values } = parseArgs({
    options: {
      folder: { type: 'string', default: '/etc/msgnet' },
      domain: { type: 'string' },
      database: { type: 'string' },
      edge: { type: 'string', default: 'http://127.0.0.1:8787' },
    },
  })
  const { folder, domain, database, edge } = values
  if (!domain) {
    throw new OperatorError('The domain of the server is missing: npm run setup -- --domain gateway.example')
  }
  if (!URL.canParse(`https://${domain}`) || new URL(`https://${domain}`).host !== domain.toLowerCase())
    throw new OperatorError(`--domain must be a name such as gateway.example: ${domain}`)
  const toPath = (name: string) => join(folder, name)
  if (existsSync(toPath('edge.env'))) {
    // New keys could not open the values that are sealed already.
    throw new OperatorError(`${toPath('edge.env')} exists already: nothing was changed.`)
  }
  refuseRegisteredHost(toPath('host.env'))

  mkdirSync(folder, { recursive: true, mode: 0o750 })
  const databaseSettings = database === undefined ? {} : writeDatabaseKeys(folder, database)
  writeSecret(
    toPath('host.env'),
    formatEnvironment({
      EDGE_URL: edge,
      HOST_SEAL_KEYS: createKey('h1'),
      NETWORK: 'live',
      HOST_SLOTS: '200',
    }),
  )
  // Written last: its existence means that all files are there.
  writeSecret(
    toPath('edge.env'),
    formatEnvironment({
      ADMIN_TOKEN: createToken('admin'),
      SEAL_KEYS: createKey('k1'),
      ...databaseSettings,
      PUBLIC_URL: `https://${domain}`,
      CLIENT_ADDRESS_HEADER: 'X-Forwarded-For',
      NETWORK: 'live',
    }),
  )
  const written = ['edge.env', 'host.env', ...(database ? ['database-key.pem', 'database-key.pub.pem'] : [])]
  console.log(`Written to ${folder}: ${written.join(', ')}. Store a copy elsewhere.`)
}

await runCommand(runSetup)
