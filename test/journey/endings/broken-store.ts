// A host's store that fails: rows of its instances can be neither read nor written for a while.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const TABLES = ['messages', 'chats', 'groups', 'calls', 'sessions', 'journal', 'outbox']

/**
 * Returns a function that repairs it. `tables`: those that fail.
 *
 * Only once for a host in this process: SQLite in Node and SQLite in libsql do not see each other's locks there, so what closes the file
 * here takes the log of writes away from the host, which then reads an older state.
 */
export function breakStore(dataDir: string, tables: readonly string[] = TABLES): () => void {
  const store = new DatabaseSync(join(dataDir, 'host', 'host.db'), { timeout: 5000 })
  const renameTables = (from: string, to: string) => {
    const steps = tables.map((table) => `ALTER TABLE ${table}${from} RENAME TO ${table}${to};`)
    store.exec(`BEGIN IMMEDIATE; ${steps.join(' ')} COMMIT`)
  }
  renameTables('', '_away')
  return () => {
    renameTables('_away', '')
    store.close()
  }
}

/** Messages of one kind cannot be stored. Returns a function that allows it again. */
export function refuseMessages(dataDir: string, messageType: string): () => void {
  const store = new DatabaseSync(join(dataDir, 'host', 'host.db'), { timeout: 5000 })
  store.exec(`CREATE TRIGGER refused_messages BEFORE INSERT ON messages
    WHEN new.record ->> 'messageType' = '${messageType}' BEGIN SELECT raise(ABORT, 'refused by a test'); END`)
  return () => {
    store.exec('DROP TRIGGER refused_messages')
    store.close()
  }
}
