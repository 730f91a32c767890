// The store of the simulated network: all state that outlives the process.
import { randomBytes } from 'node:crypto'
import { createCertificate, createHostKey, toPem } from '../crypto/certificate.ts'
import { createAccountFlag, createPrivacyTable } from './account-settings.ts'
import { AccountTable } from './account-table.ts'
import { AppStateTable } from './app-state-table.ts'
import { CompanionTable } from './companion-table.ts'
import { GroupTable } from './group-table.ts'
import { createHistoryTable, createPastTable } from './history-table.ts'
import { LargeContents } from './large-contents.ts'
import { MediaStorage } from './media-storage.ts'
import { createInboxTable, createMessageTable } from './message-table.ts'
import { openDatabase } from './network-database.ts'
import { createPortTable, ensureKeyPair, ensureSecret } from './network-table.ts'
import { createPasskeyTable } from './passkey-table.ts'
import { createPictureTable } from './picture-table.ts'
import { createPollTable } from './poll-table.ts'
import { createPreKeyTable } from './pre-key-table.ts'
import { createQueueTable } from './queue-table.ts'
import { createSenderKeyTable, createSessionTable } from './signal-tables.ts'

export type Store = ReturnType<typeof openStore>

const CLEARED_TABLES = [
  'accounts',
  'companions',
  'pre_keys',
  'phone_pre_keys',
  'sessions',
  'sender_keys',
  'sender_keys_given',
  'app_state_keys',
  'app_state_keys_given',
  'app_state_collections',
  'app_state_records',
  'app_state_patches',
  'businesses',
  'hosted',
  'passkey_demands',
  'passkey_credentials',
  'histories',
  'pasts',
  'past_deliveries',
  'polls',
  'groups',
  'group_members',
  'group_applicants',
  'pictures',
  'media',
  'media_deletions',
  'privacy',
  'blocked',
  'queue',
  'messages',
  'inbox',
]

export function openStore(dataDir: string) {
  const database = openDatabase(dataDir)
  const accounts = new AccountTable(database)
  const companions = new CompanionTable(database)
  const groups = new GroupTable(database)
  const media = new MediaStorage(database, dataDir)
  const large = new LargeContents(dataDir)
  const hostKey = ensureSecret(database, 'media host', createHostKey)
  return {
    rootKeys: ensureKeyPair(database, 'root'),
    serverKeys: ensureKeyPair(database, 'server'),
    mediaPassKey: ensureSecret(database, 'media passes', () => randomBytes(32)),
    mediaCertificate: toPem(
      hostKey,
      ensureSecret(database, 'media certificate', () => createCertificate(hostKey)),
    ),
    ports: createPortTable(database),
    accounts,
    appState: new AppStateTable(database),
    businesses: createAccountFlag(database, 'businesses'),
    hosted: createAccountFlag(database, 'hosted'),
    companions,
    groups,
    histories: createHistoryTable(database),
    pasts: createPastTable(database),
    media,
    passkeys: createPasskeyTable(database),
    pictures: createPictureTable(database),
    privacy: createPrivacyTable(database),
    preKeys: createPreKeyTable(database),
    sessions: createSessionTable(database),
    senderKeys: createSenderKeyTable(database),
    queue: createQueueTable(database, large),
    messages: createMessageTable(database, large),
    polls: createPollTable(database),
    inbox: createInboxTable(database),
    /** An empty network under the same root key. */
    clear() {
      database.exec(`begin; ${CLEARED_TABLES.map((table) => `delete from ${table};`).join(' ')} commit`)
      accounts.clearCache()
      companions.clearCache()
      groups.clearCache()
      media.clear()
      large.clear()
    },
    close() {
      database.close()
    },
  }
}
