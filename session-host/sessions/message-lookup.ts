// Finds the stored message that an id names. Senders choose their ids, and two may choose the same: chat and author decide.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { NetworkMessage, Person, Receipt } from '../driver/driver.ts'
import { isPlainName, qualifyName } from '../driver/message-names.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { Batch } from './intake-batch.ts'

/** The chat and the author of a message. */
export type Origin = Pick<
  MessageRecord,
  'chatid' | 'chatlid' | 'sender' | 'sender_pn' | 'sender_lid' | 'fromMe'
>

export type AuthorIds = Pick<Origin, 'sender' | 'sender_pn' | 'sender_lid'>

/** The author of all messages from our own devices. */
const ME = 'me'

export const toOrigin = ({ chat, sender, fromMe }: NetworkMessage): Origin => ({
  chatid: chat.id,
  chatlid: chat.lid,
  fromMe,
  sender: sender.id,
  sender_pn: sender.pn,
  sender_lid: sender.lid,
})

const haveCommon = (ones: string[], others: string[]) =>
  ones.some((one) => one !== '' && others.includes(one))

const isSameChat = (one: Origin, other: Origin): boolean =>
  haveCommon([one.chatid, one.chatlid], [other.chatid, other.chatlid])

const isInChat = ({ chatid, chatlid }: Origin, { id, pn, lid }: Person): boolean =>
  haveCommon([chatid, chatlid], [id, pn, lid])

export const isSameAuthor = (one: Origin, other: Origin): boolean =>
  one.fromMe === other.fromMe && (one.fromMe || haveCommon(listJidForms(one), listJidForms(other)))

const listJidForms = ({ sender, sender_pn, sender_lid }: AuthorIds) => [sender, sender_pn, sender_lid]

/** All ids of the author that these records know. */
export const listKnownIds = (...records: Origin[]): string[] =>
  [...new Set(records.flatMap(listJidForms))].filter(Boolean)

/** Whether what is stored with a message is of the author of `record`, by whichever id it names the author. */
export const isBySameAuthor = ({ sender }: { sender: string }, record: AuthorIds): boolean =>
  listJidForms(record).some((id) => id !== '' && id === sender)

/** Our own devices generate unique ids, so two own messages with one id are the same, in whatever chat. */
const isSameMessage = (one: Origin, other: Origin) =>
  isSameAuthor(one, other) && (isSameChat(one, other) || (one.fromMe && other.fromMe))

/** The row of a message that was deleted before it arrived. */
const isTombstone = ({ change, record }: MessageRow): boolean =>
  change && record.type === '' && record.status === 'Deleted'

export const qualifyNameByOrigin = (messageid: string, { chatid, sender, fromMe }: Origin): string =>
  qualifyName(messageid, chatid, fromMe ? ME : sender)

export interface NamedMessage {
  /** The name that it is stored under, or will be. */
  name: string
  row?: MessageRow | undefined
}

/** The stored row of a message, or the free name to store it under. */
export async function resolveName(batch: Batch, messageid: string, origin: Origin): Promise<NamedMessage> {
  const first = await batch.findRow(messageid)
  if (first && isSameMessage(first.record, origin)) return { name: messageid, row: first }
  if (!first && isPlainName(messageid)) return { name: messageid }
  const qualified = qualifyNameByOrigin(messageid, origin)
  const row = await batch.findRow(qualified)
  if (row || !first || !isTombstone(first)) return { name: qualified, row }
  // A tombstone was never reported, so it can be renamed in favour of a message.
  batch.renameRow(first, qualifyNameByOrigin(messageid, first.record))
  return { name: messageid }
}

export interface Target {
  /** The named message, in the same chat as the one that names it. */
  row?: MessageRow | undefined
  /** A message with that id exists, but in another chat or by another author. */
  elsewhere: boolean
}

/** The message that a change names. `author`: one form of its author; empty for any author. */
export async function findTarget(
  batch: Batch,
  messageid: string,
  change: Origin,
  author: string,
): Promise<Target> {
  const first = await batch.findRow(messageid)
  if (!first && isPlainName(messageid)) return { elsewhere: false }
  const here = first && isSameChat(first.record, change) ? first : undefined
  if (here && (author === '' || listJidForms(here.record).includes(author)))
    return { row: here, elsewhere: false }
  for (const by of [author, ...listJidForms(change), ME].filter(Boolean)) {
    const row = await batch.findRow(qualifyName(messageid, change.chatid, by))
    if (row) return { row, elsewhere: false }
  }
  // The named author may be another form of the stored one, so this row still counts.
  return { row: here, elsewhere: first !== undefined }
}

/** The message, own or received, that a receipt or a star in this chat names. */
export async function findReceiptTarget(
  batch: Batch,
  { messageid, chat, own }: Pick<Receipt, 'messageid' | 'chat' | 'own'>,
): Promise<Target> {
  const first = await batch.findRow(messageid)
  if (first && first.record.fromMe === own && isInChat(first.record, chat))
    return { row: first, elsewhere: false }
  if (!first && isPlainName(messageid)) return { elsewhere: false }
  for (const by of own ? [ME] : [chat.id, chat.pn, chat.lid].filter(Boolean)) {
    const row = await batch.findRow(qualifyName(messageid, chat.id, by))
    if (row) return { row, elsewhere: false }
  }
  return { elsewhere: first !== undefined }
}
