// The databases of a layout as a backup reads them: each in one read transaction, over HTTP or from a file.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { createClient } from '@libsql/client/web'
import type { EdgeSide, HostSide } from '../data-folder/layout.ts'
import type { DatabaseAccess } from '../parts/database.ts'
import { Complaint } from '../settings/settings.ts'
import type { Ask, Value } from './rows.ts'

export interface Source {
  ask: Ask
  close(): void
}

async function openServer({ url, token }: DatabaseAccess): Promise<Source> {
  const client = createClient({ url, authToken: token })
  const reading = await client.transaction('read')
  return {
    async ask(sql, ...args) {
      const { rows, columns } = await reading.execute({ sql, args })
      return rows.map((row) => columns.map((_, at) => toValue(row[at])))
    },
    close() {
      reading.close()
      client.close()
    },
  }
}

export function openFile(path: string | URL): Source {
  const database = new DatabaseSync(path, { readOnly: true })
  database.exec('pragma trusted_schema = off; begin')
  return {
    async ask(sql, ...args) {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      return statement.all(...(args as SQLInputValue[])) as unknown as Value[][]
    },
    close: () => database.close(),
  }
}

export const openDatabase = async ({ settings, file }: EdgeSide): Promise<Source> =>
  settings.DATABASE_URL
    ? openServer({ url: settings.DATABASE_URL, token: settings.DATABASE_TOKEN ?? '' })
    : openFile(file)

export const openStore = async ({ settings, file }: HostSide): Promise<Source> =>
  settings.SESSION_STORE_URL
    ? openServer({ url: settings.SESSION_STORE_URL, token: settings.SESSION_STORE_TOKEN })
    : openFile(file)

function toValue(value: unknown): Value {
  if (value instanceof ArrayBuffer) return new Uint8Array(value)
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (value instanceof Uint8Array) return value
  throw new Complaint(`The database has a value that a backup cannot hold (${typeof value}).`)
}
