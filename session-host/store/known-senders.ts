// Whether an account knows who sent a message: it has written in the chat, or has saved the sender as a contact.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { Store } from './host-store.ts'

/** So many messages of a chat are read: an answer that lies further back says little about the sender of today. */
const MAX_READ = 200

const HAS_WRITTEN = `SELECT 1 FROM (SELECT from_me FROM messages
  WHERE instance = ?1 AND chatid = ?2 ORDER BY at DESC LIMIT ${MAX_READ}) WHERE from_me`
const HAS_SAVED = 'SELECT 1 FROM contacts WHERE instance = ?1 AND jid IN (?3, ?4, ?5)'
const IS_KNOWN = `SELECT (?2 <> '${STATUS_JID}' AND EXISTS (${HAS_WRITTEN})) OR EXISTS (${HAS_SAVED}) AS known`

/** A group is known when the account has written in it: strangers can add an account to groups. */
export async function isKnownSender(
  store: Store,
  instance: string,
  { fromMe, chatid, sender, sender_pn, sender_lid }: MessageRecord,
): Promise<boolean> {
  if (fromMe) return true
  const [row] = await store.rows(IS_KNOWN, instance, chatid, sender, sender_pn, sender_lid)
  return Boolean(row?.known)
}
