// Keys of many devices in one database file, as small as that can be done: for the library without the gateway.

import { DatabaseSync } from 'node:sqlite'
import { type AuthenticationState, BufferJSON, initAuthCreds, proto, type SignalDataTypeMap } from 'baileys'

const CREDS = 'creds'

export interface RawAuth {
  state: AuthenticationState
  /** Keeps `creds` as they are now. */
  saveCreds(): void
}

export function openRawKeys(file: string): (device: number) => RawAuth {
  const database = new DatabaseSync(file)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(
    'CREATE TABLE IF NOT EXISTS keys (device, kind, id, value, PRIMARY KEY (device, kind, id)) WITHOUT ROWID',
  )
  const find = database.prepare('SELECT value FROM keys WHERE device = ? AND kind = ? AND id = ?')
  const insert = database.prepare('INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)')
  const forget = database.prepare('DELETE FROM keys WHERE device = ? AND kind = ? AND id = ?')

  return (device) => {
    const readKey = (kind: string, id: string) => {
      const row = find.get(device, kind, id)
      return row && JSON.parse(String(row.value), BufferJSON.reviver)
    }
    const writeKey = (kind: string, id: string, value: unknown) => {
      if (value === null || value === undefined) forget.run(device, kind, id)
      else insert.run(device, kind, id, JSON.stringify(value, BufferJSON.replacer))
    }
    const creds = readKey(CREDS, '') ?? initAuthCreds()
    return {
      state: {
        creds,
        keys: {
          async get<T extends keyof SignalDataTypeMap>(kind: T, ids: string[]) {
            const found: Record<string, SignalDataTypeMap[T]> = {}
            for (const id of ids) {
              const value = readKey(kind, id)
              if (!value) continue
              found[id] =
                kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value) : value
            }
            return found
          },
          async set(data) {
            database.exec('BEGIN')
            for (const [kind, entries] of Object.entries(data)) {
              for (const [id, value] of Object.entries(entries ?? {})) writeKey(kind, id, value)
            }
            database.exec('COMMIT')
          },
        },
      },
      saveCreds: () => writeKey(CREDS, '', creds),
    }
  }
}
