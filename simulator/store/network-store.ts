// The store of the simulated network: all state that outlives the process.
import { randomBytes } from 'node:crypto'
import { createCertificate, createHostKey, toPem } from '../media/certificate.ts'
import { createAccountTable } from './account-table.ts'
import { createAppStateTable } from './app-state-table.ts'
import { createBusinessTable } from './business-table.ts'
import { createCompanionTable } from './companion-table.ts'
import { createGroupTable } from './group-table.ts'
import { createHistoryTable } from './history-table.ts'
import { createHostedTable } from './hosted-table.ts'
import { createInboxTable } from './inbox-table.ts'
import { createLargeContents } from './large-contents.ts'
import { createMediaStorage } from './media-storage.ts'
import { createMessageTable } from './message-table.ts'
import { openDatabase } from './network-database.ts'
import { ensureKeyPair, ensureSecret } from './network-secrets.ts'
import { createPasskeyTable } from './passkey-table.ts'
import { createPictureTable } from './picture-table.ts'
import { createPollTable } from './poll-table.ts'
import { createPortTable } from './port-table.ts'
import { createPreKeyTable } from './pre-key-table.ts'
import { createPrivacyTable } from './privacy-table.ts'
import { createQueueTable } from './queue-table.ts'
import { createSenderKeyTable } from './sender-key-table.ts'
import { createSessionTable } from './session-table.ts'

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
  const accounts = createAccountTable(database)
  const companions = createCompanionTable(database)
  const groups = createGroupTable(database)
  const media = createMediaStorage(database, dataDir)
  const large = createLargeContents(dataDir)
  const hostKey = ensureSecret(database, 'media host', createHostKey)
  return {
    rootKeys: ensureKeyPair(database, 'root'),
    serverKeys: ensureKeyPair(database, 'server'),
    mediaPassKey: ensureSecret(database, 'media passes', () => randomBytes(32)),
    mediaCertificate: toPem(
      hostKey,
      ensureSecret(database, 'media certificate', () => createCertificate(hostKey)),
    ),
    places: createPortTable(database),
    accounts,
    appState: createAppStateTable(database),
    businesses: createBusinessTable(database),
    hosted: createHostedTable(database),
    companions,
    groups,
    histories: createHistoryTable(database),
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
