// Where Evolution API keeps the keys of its devices beside its database: hashes of a Redis, or a folder with one for each instance.

import { join, resolve } from 'node:path'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import { listKeyFiles, readFileRows } from './folder-source.ts'
import type { StoredRow } from './moving-source.ts'
import { nameRedis, openRedis } from './redis-hashes.ts'

const CREDS = 'creds'

export interface KeyStore {
  countKeys(instance: string): Promise<number>
  readKeys(instance: string): AsyncIterable<StoredRow>
  /** Where the credential is kept here too. */
  readCreds(instance: string): Promise<string | undefined>
  close(): Promise<void>
}

export async function openKeys(place: string | undefined): Promise<KeyStore | undefined> {
  if (place === undefined) return undefined
  if (/^rediss?:/.test(place)) return openRedisKeys(place)
  const [, folder] = /^folder:(.+)$/s.exec(place) ?? []
  if (folder) return openFolderKeys(resolve(folder))
  throw new OperatorError('--keys must be redis://… or folder:PATH.')
}

function openFolderKeys(folder: string): KeyStore {
  const toPath = (instance: string) => join(folder, instance)
  return {
    countKeys: async (instance) => (await listKeyFiles(toPath(instance))).length,
    async *readKeys(instance) {
      yield* readFileRows(toPath(instance), await listKeyFiles(toPath(instance)))
    },
    readCreds: async () => undefined,
    close: async () => undefined,
  }
}

async function openRedisKeys(url: string): Promise<KeyStore> {
  const redis = await openRedis(url)
  // Each installation has a prefix of its own.
  const keys = await redis.listKeys('*:instance:*')
  const findKey = (instance: string): string | undefined => {
    const [key, ...others] = keys.filter((one) => one.endsWith(`:instance:${instance}`))
    if (others.length === 0) return key
    throw new OperatorError(
      `${nameRedis(url)} has several hashes of instance ${instance}: ${[key, ...others].join(', ')}.`,
    )
  }
  return {
    async countKeys(instance) {
      const key = findKey(instance)
      if (!key) return 0
      return (await redis.countFields(key)) - ((await redis.readField(key, CREDS)) ? 1 : 0)
    },
    async *readKeys(instance) {
      const key = findKey(instance)
      if (key) yield* redis.readFields(key, (field) => field !== CREDS)
    },
    async readCreds(instance) {
      const key = findKey(instance)
      return key && redis.readField(key, CREDS)
    },
    close: () => redis.close(),
  }
}
