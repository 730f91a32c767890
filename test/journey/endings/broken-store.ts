// A host's store that fails: rows of its instances can be neither read nor written for a while.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const TABLES = ['messages', 'chats', 'groups', 'calls', 'sessions', 'journal', 'outbox']

/** Answers what mends it. */
export function breakStore(dataDir: string): () => void {
  const store = new DatabaseSync(join(dataDir, 'host', 'host.db'), { timeout: 5000 })
  const renameTables = (from: string, to: string) => {
    const steps = TABLES.map((table) => `ALTER TABLE ${table}${from} RENAME TO ${table}${to};`)
    store.exec(`BEGIN IMMEDIATE; ${steps.join(' ')} COMMIT`)
  }
  renameTables('', '_away')
  return () => {
    renameTables('_away', '')
    store.close()
  }
}
