// A server of RabbitMQ, on this machine, on a folder and ports of its own, beside an epmd of its own.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '@msgnet/cli/settings/ports.ts'
import { type Channel, connect } from 'amqplib'
import { until } from '../until.ts'
import { type QueuedMessage, type QueueServer, spawnServer } from './queue-server.ts'

/** Debian's other programs of this name want to be root or the user of the service. */
export const RABBITMQ = '/usr/lib/rabbitmq/bin/rabbitmq-server'
const EXCHANGE = 'gateway.events'
const QUEUE = 'reader'
const START_WITHIN_MS = 60_000

export interface RabbitmqServer extends QueueServer {
  /** Without a binding the exchange has no queue for anything. */
  bindQueue(): Promise<void>
  unbindQueue(): Promise<void>
}

export async function createRabbitmqServer(): Promise<RabbitmqServer> {
  const folder = mkdtempSync(join(tmpdir(), 'rabbitmq-'))
  const [port, distribution, epmdPort] = [await freePort(), await freePort(), await freePort()]
  const env = createEnv(folder, { port, distribution, epmdPort })
  const epmd = spawnServer('epmd', ['-address', '127.0.0.1', '-port', String(epmdPort)])
  const messages: QueuedMessage[] = []
  let server: ReturnType<typeof spawnServer> | undefined

  async function withChannel<Result>(work: (channel: Channel) => Promise<Result>): Promise<Result> {
    const connection = await connect(`amqp://127.0.0.1:${port}`)
    try {
      return await work(await connection.createChannel())
    } finally {
      await connection.close()
    }
  }

  const toEnv = (password: string, exchange: string) => ({
    QUEUE_URL: `amqp://guest:${password}@127.0.0.1:${port}`,
    EXCHANGE: exchange,
  })
  const bindQueue = () => withChannel(async (channel) => void (await channel.bindQueue(QUEUE, EXCHANGE, '#')))
  return {
    env: toEnv('guest', EXCHANGE),
    strangerEnv: toEnv('wr0ng-secret', EXCHANGE),
    missingEnv: toEnv('guest', 'elsewhere'),
    async start() {
      server = spawnServer(RABBITMQ, [], env)
      await until(() => withChannel(declareQueue), { within: START_WITHIN_MS })
      await bindQueue()
    },
    kill: async () => server?.kill(),
    bindQueue,
    unbindQueue: () => withChannel(async (channel) => void (await channel.unbindQueue(QUEUE, EXCHANGE, '#'))),
    readMessages: () =>
      withChannel(async (channel) => {
        for (;;) {
          const message = await channel.get(QUEUE, { noAck: true })
          if (!message) return messages
          const { content, fields, properties } = message
          messages.push({ id: properties.messageId, route: fields.routingKey, body: content.toString() })
        }
      }),
    async close() {
      await server?.kill()
      await epmd.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function declareQueue(channel: Channel): Promise<boolean> {
  await channel.assertExchange(EXCHANGE, 'topic', { durable: true })
  await channel.assertQueue(QUEUE, { durable: true })
  return true
}

function createEnv(
  folder: string,
  { port, distribution, epmdPort }: Record<'port' | 'distribution' | 'epmdPort', number>,
): Record<string, string> {
  const plugins = join(folder, 'enabled_plugins')
  writeFileSync(plugins, '[].\n')
  return {
    HOME: folder,
    RABBITMQ_NODENAME: `test${port}@localhost`,
    RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
    RABBITMQ_NODE_PORT: String(port),
    RABBITMQ_DIST_PORT: String(distribution),
    RABBITMQ_MNESIA_BASE: folder,
    RABBITMQ_LOG_BASE: folder,
    RABBITMQ_LOGS: join(folder, 'rabbit.log'),
    RABBITMQ_CONF_ENV_FILE: join(folder, 'none.conf'),
    RABBITMQ_CONFIG_FILE: join(folder, 'none'),
    RABBITMQ_ENABLED_PLUGINS_FILE: plugins,
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    ERL_EPMD_ADDRESS: '127.0.0.1',
    ERL_EPMD_PORT: String(epmdPort),
  }
}
