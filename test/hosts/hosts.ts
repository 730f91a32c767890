// Session hosts of a test's own beside a running gateway, and a store for them to share.

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@libsql/client/web'
import { startDatabaseServer } from '../database-server.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'

export interface SharedStore {
  readonly url: string
  readonly token: string
  /** Its hosts seal with the same keys. */
  readonly sealKeys: string
  queryRows(sql: string): Promise<Record<string, unknown>[]>
  close(): Promise<void>
}

export async function startSharedStore(): Promise<SharedStore> {
  const { url, token, close } = await startDatabaseServer()
  return {
    url,
    token,
    close,
    sealKeys: `shared:${randomBytes(32).toString('base64')}`,
    async queryRows(sql) {
      const client = createClient({ url, authToken: token })
      const { rows } = await client.execute(sql)
      client.close()
      return rows.map((row) => ({ ...row }))
    },
  }
}

export interface RunningHost {
  readonly id: string
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  /** Its log so far. */
  readOutput(): string
  /** Ends it as an operator would, and starts it again with the same token and data; resolves when it is linked. */
  restart(): Promise<void>
  close(): Promise<void>
}

interface Setting {
  store: SharedStore
  slots: number
  region?: string
  /** Where it dials the edge, if not directly. */
  edge?: string
}

const ROOM = join(import.meta.dirname, '../../session-host')

/** Registered and linked. */
export async function startHost(world: World, { store, slots, region = 'here', edge }: Setting) {
  const registered = await world.admin.post('/v1/hosts', { region })
  const { host, token } = registered.body
  const { url, rootKey, mediaCa } = await world.sim('GET', '/network')
  const dataDir = mkdtempSync(join(tmpdir(), 'host-'))
  const env = {
    PATH: process.env.PATH ?? '',
    EDGE_URL: edge ? `http://${edge}` : world.run.baseUrl,
    HOST_TOKEN: token,
    DATA_DIR: dataDir,
    SESSION_STORE_URL: store.url,
    SESSION_STORE_TOKEN: store.token,
    HOST_SEAL_KEYS: store.sealKeys,
    NETWORK_URL: String(url),
    NETWORK_ROOT_KEY: String(rootKey),
    NETWORK_MEDIA_CA: String(mediaCa),
    HOST_SLOTS: String(slots),
    METRICS_PORT: '0',
  }
  let life = spawnHost(env)
  const running: RunningHost = {
    id: host.id,
    get child() {
      return life.child
    },
    get ended() {
      return life.ended
    },
    readOutput: () => life.output(),
    async restart() {
      life.child.kill('SIGTERM')
      const code = await life.ended
      if (code !== 0) throw new Error(`the host did not end well: ${code} ${life.output()}`)
      life = spawnHost(env)
      await waitUntilLinked()
    },
    async close() {
      life.child.kill('SIGKILL')
      await life.ended
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  const waitUntilLinked = () =>
    until(async () => {
      if (life.child.exitCode !== null) throw new Error(`the host ended: ${life.output()}`)
      return life.output().includes('link opened') && (await findHostRecord(world, host.id)).live
    })
  await waitUntilLinked()
  return running
}

function spawnHost(env: Record<string, string>) {
  const args = ['--import', join(ROOM, '..', 'shared', 'node', 'quick-imports.ts'), join(ROOM, 'run-host.ts')]
  // The last of these closes when the tests are killed.
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return { child, ended, output: () => output }
}

export interface HostRecord {
  id: string
  live: boolean
  draining: boolean
  slots: number
  sessions: number
  store: string
  region: string
}

export async function findHostRecord(world: World, id: string): Promise<HostRecord> {
  const { body } = await world.admin.get('/v1/hosts')
  const found = body.hosts.find((host: HostRecord) => host.id === id)
  if (!found) throw new Error(`no host ${id}`)
  return found
}
