// The store of the simulated network: all state that outlives the process.
import { randomBytes } from 'node:crypto'
import { certify, inPem, newHostKey } from '../media/certificate.ts'
import { accountTable } from './accounts.ts'
import { appStateTable } from './app-state.ts'
import { businessTable } from './businesses.ts'
import { companionTable } from './companions.ts'
import { openDatabase } from './database.ts'
import { groupTable } from './groups.ts'
import { historyTable } from './histories.ts'
import { hostedTable } from './hosted.ts'
import { inboxTable } from './inbox.ts'
import { largeContents } from './large-contents.ts'
import { mediaFiles } from './media.ts'
import { messageTable } from './messages.ts'
import { passkeyTable } from './passkeys.ts'
import { pictureTable } from './pictures.ts'
import { placeTable } from './places.ts'
import { pollTable } from './polls.ts'
import { preKeyTable } from './pre-keys.ts'
import { privacyTable } from './privacy.ts'
import { queueTable } from './queue.ts'
import { secret, secretKeys } from './secrets.ts'
import { senderKeyTable } from './sender-keys.ts'
import { sessionTable } from './sessions.ts'

export type Store = ReturnType<typeof openStore>

const EMPTIED = [
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
  const accounts = accountTable(database)
  const companions = companionTable(database)
  const groups = groupTable(database)
  const media = mediaFiles(database, dataDir)
  const large = largeContents(dataDir)
  const hostKey = secret(database, 'media host', newHostKey)
  return {
    rootKeys: secretKeys(database, 'root'),
    serverKeys: secretKeys(database, 'server'),
    mediaPassKey: secret(database, 'media passes', () => randomBytes(32)),
    mediaCertificate: inPem(
      hostKey,
      secret(database, 'media certificate', () => certify(hostKey)),
    ),
    places: placeTable(database),
    accounts,
    appState: appStateTable(database),
    businesses: businessTable(database),
    hosted: hostedTable(database),
    companions,
    groups,
    histories: historyTable(database),
    media,
    passkeys: passkeyTable(database),
    pictures: pictureTable(database),
    privacy: privacyTable(database),
    preKeys: preKeyTable(database),
    sessions: sessionTable(database),
    senderKeys: senderKeyTable(database),
    queue: queueTable(database, large),
    messages: messageTable(database, large),
    polls: pollTable(database),
    inbox: inboxTable(database),
    /** An empty network under the same root key. */
    empty() {
      database.exec(`begin; ${EMPTIED.map((table) => `delete from ${table};`).join(' ')} commit`)
      accounts.forgetCached()
      companions.forgetCached()
      groups.forgetCached()
      media.empty()
      large.empty()
    },
    close() {
      database.close()
    },
  }
}
