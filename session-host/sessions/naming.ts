// Finds the stored message that an id names. Senders choose their ids, and two may choose the same: chat and author decide.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { NetworkMessage, Person, Receipt } from '../driver/driver.ts'
import { isPlain, nameBeside } from '../message-names.ts'
import type { MessageRow } from '../store/messages.ts'
import type { Batch } from './batch.ts'

/** The chat and the author of a message. */
export type Origin = Pick<
  MessageRecord,
  'chatid' | 'chatlid' | 'sender' | 'sender_pn' | 'sender_lid' | 'fromMe'
>

/** The author of all messages from our own devices. */
const ME = 'me'

export const originOf = ({ chat, sender, fromMe }: NetworkMessage): Origin => ({
  ...{ chatid: chat.id, chatlid: chat.lid, fromMe },
  ...{ sender: sender.id, sender_pn: sender.pn, sender_lid: sender.lid },
})

const overlap = (ones: string[], others: string[]) => ones.some((one) => one !== '' && others.includes(one))

const sameChat = (one: Origin, other: Origin): boolean =>
  overlap([one.chatid, one.chatlid], [other.chatid, other.chatlid])

const inChat = ({ chatid, chatlid }: Origin, { id, pn, lid }: Person): boolean =>
  overlap([chatid, chatlid], [id, pn, lid])

export const sameAuthor = (one: Origin, other: Origin): boolean =>
  one.fromMe === other.fromMe && (one.fromMe || overlap(spellingsOf(one), spellingsOf(other)))

const spellingsOf = ({ sender, sender_pn, sender_lid }: Origin) => [sender, sender_pn, sender_lid]

/** Our own devices generate unique ids, so two own messages with one id are the same, in whatever chat. */
const same = (one: Origin, other: Origin) =>
  sameAuthor(one, other) && (sameChat(one, other) || (one.fromMe && other.fromMe))

/** The row of a message that was deleted before it arrived. */
const isTombstone = ({ change, record }: MessageRow): boolean =>
  change && record.type === '' && record.status === 'Deleted'

export const besideName = (messageid: string, { chatid, sender, fromMe }: Origin): string =>
  nameBeside(messageid, chatid, fromMe ? ME : sender)

export interface Named {
  /** The name that it is stored under, or will be. */
  name: string
  row?: MessageRow | undefined
}

/** The stored row of a message, or the free name to store it under. */
export async function nameFor(batch: Batch, messageid: string, origin: Origin): Promise<Named> {
  const first = await batch.find(messageid)
  if (first && same(first.record, origin)) return { name: messageid, row: first }
  if (!first && isPlain(messageid)) return { name: messageid }
  const beside = besideName(messageid, origin)
  const row = await batch.find(beside)
  if (row || !first || !isTombstone(first)) return { name: beside, row }
  // A tombstone was never reported, so it can be renamed in favour of a message.
  batch.rename(first, besideName(messageid, first.record))
  return { name: messageid }
}

export interface Target {
  /** The named message, in the same chat as the one that names it. */
  row?: MessageRow | undefined
  /** A message with that id exists, but in another chat or by another author. */
  elsewhere: boolean
}

/** The message that a change names. `author`: one spelling of its author; empty for any author. */
export async function targetOf(
  batch: Batch,
  messageid: string,
  change: MessageRecord,
  author: string,
): Promise<Target> {
  const first = await batch.find(messageid)
  if (!first && isPlain(messageid)) return { elsewhere: false }
  const here = first && sameChat(first.record, change) ? first : undefined
  if (here && (author === '' || spellingsOf(here.record).includes(author)))
    return { row: here, elsewhere: false }
  for (const by of [author, ...spellingsOf(change), ME].filter(Boolean)) {
    const row = await batch.find(nameBeside(messageid, change.chatid, by))
    if (row) return { row, elsewhere: false }
  }
  // The named author may be another spelling of the stored one, so this row still counts.
  return { row: here, elsewhere: first !== undefined }
}

/** The message, own or received, that a receipt in this chat names. */
export async function receiptTarget(batch: Batch, { messageid, chat, ours }: Receipt): Promise<Target> {
  const first = await batch.find(messageid)
  if (first && first.record.fromMe === ours && inChat(first.record, chat))
    return { row: first, elsewhere: false }
  if (!first && isPlain(messageid)) return { elsewhere: false }
  for (const by of ours ? [ME] : [chat.id, chat.pn, chat.lid].filter(Boolean)) {
    const row = await batch.find(nameBeside(messageid, chat.id, by))
    if (row) return { row, elsewhere: false }
  }
  return { elsewhere: first !== undefined }
}
