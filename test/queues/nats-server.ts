// A server of NATS with JetStream, on this machine and on a folder of its own.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { until } from '../until.ts'
import { type QueuedMessage, type QueueServer, spawnServer } from './queue-server.ts'

const STREAM = 'EVENTS'
const user = { user: 'bridge', pass: 'k3pt-secret' }

export async function createNatsServer(): Promise<QueueServer> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-'))
  const port = await freePort()
  const messages: QueuedMessage[] = []
  let server: ReturnType<typeof spawnServer> | undefined

  async function withManager<Result>(work: (manager: JetStreamManager) => Promise<Result>): Promise<Result> {
    const connection = await connect({ servers: `127.0.0.1:${port}`, reconnect: false, ...user })
    try {
      return await work(await jetstreamManager(connection))
    } finally {
      await connection.close()
    }
  }

  const toEnv = (password: string, subject: string) => ({
    QUEUE_URL: `nats://${user.user}:${password}@127.0.0.1:${port}`,
    SUBJECT: subject,
  })
  return {
    env: toEnv(user.pass, 'shop.events'),
    strangerEnv: toEnv('wr0ng-secret', 'shop.events'),
    missingEnv: toEnv(user.pass, 'elsewhere'),
    async start() {
      const login = ['--user', user.user, '--pass', user.pass]
      server = spawnServer('nats-server', [
        '-a',
        '127.0.0.1',
        '-p',
        String(port),
        '-js',
        '-sd',
        folder,
        ...login,
      ])
      await until(() => withManager((manager) => manager.getAccountInfo()))
      await withManager(async ({ streams }) => {
        const known = await streams.names().next()
        if (!known.includes(STREAM)) await streams.add({ name: STREAM, subjects: ['shop.events.>'] })
      })
    },
    kill: async () => server?.kill(),
    readMessages: () => withManager((manager) => readMessagesAfter(manager, messages)),
    async close() {
      await server?.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Adds those that came since. */
async function readMessagesAfter(
  { streams }: JetStreamManager,
  messages: QueuedMessage[],
): Promise<QueuedMessage[]> {
  const { state } = await streams.info(STREAM)
  while (messages.length < state.last_seq) {
    const stored = await streams.getMessage(STREAM, { seq: messages.length + 1 })
    if (!stored) throw new Error('a message is gone')
    messages.push({
      id: stored.header.get('Nats-Msg-Id'),
      route: stored.subject.replace('shop.events.', ''),
      body: stored.string(),
    })
  }
  return messages
}
