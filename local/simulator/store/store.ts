// Everything of the simulated network that outlives the process.
import { accountTable } from './accounts.ts'
import { companionTable } from './companions.ts'
import { openDatabase } from './database.ts'
import { inboxTable } from './inbox.ts'
import { messageTable } from './messages.ts'
import { preKeyTable } from './pre-keys.ts'
import { queueTable } from './queue.ts'
import { secretKeys } from './secrets.ts'
import { sessionTable } from './sessions.ts'

export type Store = ReturnType<typeof openStore>

const EMPTIED = [
  'accounts',
  'companions',
  'pre_keys',
  'phone_pre_keys',
  'sessions',
  'queue',
  'messages',
  'inbox',
]

export function openStore(dataDir: string) {
  const database = openDatabase(dataDir)
  const accounts = accountTable(database)
  const companions = companionTable(database)
  return {
    rootKeys: secretKeys(database, 'root'),
    serverKeys: secretKeys(database, 'server'),
    accounts,
    companions,
    preKeys: preKeyTable(database),
    sessions: sessionTable(database),
    queue: queueTable(database),
    messages: messageTable(database),
    inbox: inboxTable(database),
    /** An empty network under the same root key. */
    empty() {
      database.exec(`begin; ${EMPTIED.map((table) => `delete from ${table};`).join(' ')} commit`)
      accounts.forgetCached()
      companions.forgetCached()
    },
    close() {
      database.close()
    },
  }
}
