// Reads hashes of a Redis, with commands that change nothing.

import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { createClient, ErrorReply } from '@redis/client'
import type { StoredRow } from './moving-source.ts'

const CONNECT_WITHIN_MS = 10_000
const FIELDS_AT_ONCE = 200
const KEYS_AT_ONCE = 1000

export type RedisHashes = Awaited<ReturnType<typeof openRedis>>

export async function openRedis(url: string) {
  const client = createClient({
    url,
    socket: { connectTimeout: CONNECT_WITHIN_MS, reconnectStrategy: false },
  })
  // Each command that fails says so itself.
  client.on('error', () => undefined)
  try {
    await client.connect()
  } catch (error) {
    throw new OperatorError(`Redis at ${nameRedis(url)} cannot be used: ${(error as Error).message}.`)
  }
  return {
    /** Keys of hashes that match. */
    async listKeys(pattern: string): Promise<string[]> {
      const found = new Set<string>()
      for await (const keys of client.scanIterator({ MATCH: pattern, TYPE: 'hash', COUNT: KEYS_AT_ONCE }))
        for (const key of keys) found.add(key)
      return [...found].sort()
    },
    has: async (key: string): Promise<boolean> => (await client.exists(key)) === 1,
    countFields: (key: string): Promise<number> => client.hLen(key),
    readField: async (key: string, field: string): Promise<string | undefined> =>
      (await client.hGet(key, field)) ?? undefined,
    /** Each field once. */
    async *readFields(key: string, isWanted: (field: string) => boolean): AsyncGenerator<StoredRow> {
      const fields = (await client.hKeys(key)).filter(isWanted)
      for (let at = 0; at < fields.length; at += FIELDS_AT_ONCE) {
        const some = fields.slice(at, at + FIELDS_AT_ONCE)
        const values = await client.hmGet(key, some)
        for (const [n, name] of some.entries()) {
          const json = values[n]
          if (json) yield { name, json }
        }
      }
    },
    /** Of the programs that are connected; empty where this user may not see them. */
    async listClientNames(): Promise<string[]> {
      try {
        const list = String(await client.sendCommand(['CLIENT', 'LIST']))
        return [...list.matchAll(/ name=(\S+)/g)].map(([, name = '']) => name)
      } catch (error) {
        if (error instanceof ErrorReply) return []
        throw error
      }
    },
    close: () => client.close(),
  }
}

/** Without user and password. */
export function nameRedis(url: string): string {
  const { protocol, host, pathname } = URL.parse(url) ?? {}
  if (!host || !/^rediss?:$/.test(protocol ?? ''))
    throw new OperatorError('A Redis is named as redis://USER:PASSWORD@HOST:PORT/DATABASE.')
  return `${protocol}//${host}${pathname}`
}
