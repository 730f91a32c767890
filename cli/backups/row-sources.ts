// The databases of a layout as a backup reads them: each in one read transaction, over HTTP or from a file.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { createClient } from '@libsql/client/web'
import { OperatorError } from '@msgnet/shared/node/operator-errors.ts'
import type { EdgeSide, HostSide } from '../data-folder/layout.ts'
import type { DatabaseAccess } from '../parts/database-part.ts'
import type { Query, Value } from './read-rows.ts'

export interface RowSource {
  query: Query
  close(): void
}

async function openServerSource({ url, token }: DatabaseAccess): Promise<RowSource> {
  const client = createClient({ url, authToken: token })
  const transaction = await client.transaction('read')
  return {
    async query(sql, ...args) {
      const { rows, columns } = await transaction.execute({ sql, args })
      return rows.map((row) => columns.map((_, at) => toValue(row[at])))
    },
    close() {
      transaction.close()
      client.close()
    },
  }
}

function openFileSource(path: string): RowSource {
  const database = new DatabaseSync(path, { readOnly: true })
  database.exec('pragma trusted_schema = off; begin')
  return {
    async query(sql, ...args) {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      return statement.all(...(args as SQLInputValue[])) as unknown as Value[][]
    },
    close: () => database.close(),
  }
}

export const openDatabaseSource = async ({ settings, file }: EdgeSide): Promise<RowSource> =>
  settings.DATABASE_URL
    ? openServerSource({ url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' })
    : openFileSource(file)

export const openStoreSource = async ({ settings, file }: HostSide): Promise<RowSource> =>
  settings.SESSION_STORE_URL
    ? openServerSource({ url: settings.SESSION_STORE_URL, token: settings.SESSION_STORE_TOKEN })
    : openFileSource(file)

function toValue(value: unknown): Value {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof Uint8Array) return value
  throw new OperatorError(`The database has a value that a backup cannot hold (${typeof value}).`)
}
