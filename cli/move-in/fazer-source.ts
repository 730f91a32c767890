// baileys-api of fazer-ai: a hash of a Redis for each account, with its credential, its keys and where its events go.

import * as z from 'zod'
import { readLinkedDevice } from './linked-device.ts'
import type { MovingAccount, MovingSource } from './moving-source.ts'
import { nameRedis, openRedis, type RedisHashes } from './redis-hashes.ts'

const PREFIX = '@baileys-api:connections:'
const ENDING = ':authState'
const LEASE = '@baileys-api:cluster:lease:'
/** It calls its connection so. */
const CLIENT_NAME = 'baileys-api'
/** What it sends of its own accord. */
const EVENTS = ['connection', 'messages', 'messages_update', 'messages_edit', 'groups', 'presence']
const CREDS = 'creds'
/** Fields that are no keys. */
const OTHERS = [CREDS, 'metadata', 'import-candidates']

const Metadata = z.object({
  webhookUrl: z.string().optional(),
  webhookVerifyToken: z.string().optional(),
  groupsEnabled: z.boolean().optional(),
  includeMedia: z.boolean().optional(),
})

export async function openFazer(url: string): Promise<MovingSource> {
  const name = `fazer:${nameRedis(url)}`
  const redis = await openRedis(url)
  return {
    name,
    async listAccounts() {
      const isConnected = (await redis.listClientNames()).includes(CLIENT_NAME)
      const keys = await redis.listKeys(`${PREFIX}*${ENDING}`)
      return Promise.all(keys.map((key) => readAccount(redis, key, isConnected)))
    },
    close: () => redis.close(),
  }
}

async function readAccount(redis: RedisHashes, key: string, isConnected: boolean): Promise<MovingAccount> {
  const id = key.slice(PREFIX.length, -ENDING.length)
  const [creds, metadata] = [await redis.readField(key, CREDS), await redis.readField(key, 'metadata')]
  const others = await Promise.all(OTHERS.map((field) => redis.readField(key, field)))
  const keys = (await redis.countFields(key)) - others.filter(Boolean).length
  const device = readLinkedDevice(creds, keys + 1)
  return {
    id,
    name: id,
    ...device,
    rows: keys + 1,
    inUse: (await redis.has(`${LEASE}${id}`))
      ? 'a gateway holds its lease'
      : isConnected
        ? 'baileys-api is connected to its Redis'
        : undefined,
    ...translateMetadata(metadata),
    async *readRows() {
      yield { name: CREDS, json: creds ?? '' }
      yield* redis.readFields(key, (field) => !OTHERS.includes(field))
    },
  }
}

function translateMetadata(json: string | undefined): Pick<MovingAccount, 'webhook' | 'notMoved'> {
  const { webhookUrl, ...other } = parseMetadata(json)
  const notMoved = [
    other.webhookVerifyToken && 'the token in the bodies of its webhook: here a secret signs them',
    other.includeMedia && 'files in its webhook',
  ].filter((one) => typeof one === 'string')
  if (!webhookUrl) return { notMoved }
  const excludeMessages = other.groupsEnabled === false && { excludeMessages: 'isGroupYes' as const }
  return { notMoved, webhook: { url: webhookUrl, events: EVENTS, ...excludeMessages } }
}

function parseMetadata(json: string | undefined): z.infer<typeof Metadata> {
  try {
    return Metadata.safeParse(JSON.parse(json ?? '{}')).data ?? {}
  } catch {
    return {}
  }
}
