// Which stored message an id means. Senders choose ids, and a stranger may use a friend's: only chat and author make it certain.

import type { MessageRecord } from '../../shared/contract/message.ts'
import type { NetworkMessage, Person, Receipt } from '../driver/driver.ts'
import { isPlain, nameBeside } from '../message-names.ts'
import type { MessageRow } from '../store/messages.ts'
import type { Batch } from './batch.ts'

/** In what chat, and by whom. */
export type Origin = Pick<
  MessageRecord,
  'chatid' | 'chatlid' | 'sender' | 'sender_pn' | 'sender_lid' | 'fromMe'
>

/** As author of whatever our own devices write. */
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

/** Our own devices make their ids themselves, and do not make one twice. */
const same = (one: Origin, other: Origin) =>
  sameAuthor(one, other) && (sameChat(one, other) || (one.fromMe && other.fromMe))

/** Of a message that was taken back before it came. */
const isTombstone = ({ change, record }: MessageRow): boolean =>
  change && record.type === '' && record.status === 'Deleted'

export const besideName = (messageid: string, { chatid, sender, fromMe }: Origin): string =>
  nameBeside(messageid, chatid, fromMe ? ME : sender)

export interface Named {
  /** What it is stored under, or is to be. */
  name: string
  row?: MessageRow | undefined
}

/** The message itself: what is stored of it, or the name that is free for it. */
export async function nameFor(batch: Batch, messageid: string, origin: Origin): Promise<Named> {
  const first = await batch.find(messageid)
  if (first && same(first.record, origin)) return { name: messageid, row: first }
  if (!first && isPlain(messageid)) return { name: messageid }
  const beside = besideName(messageid, origin)
  const row = await batch.find(beside)
  if (row || !first || !isTombstone(first)) return { name: beside, row }
  // Nobody was told of it: it makes way for a message.
  batch.rename(first, besideName(messageid, first.record))
  return { name: messageid }
}

export interface Target {
  /** The message that is named, in the chat of the one that names it. */
  row?: MessageRow | undefined
  /** There is a message of that id, in another chat or by somebody else. */
  elsewhere: boolean
}

/** The message that a change names. `author`: one spelling of who wrote it; empty for anybody. */
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
  // Two spellings of one author may have nothing in common.
  return { row: here, elsewhere: first !== undefined }
}

/** The message of ours, or of another, that a receipt in this chat speaks of. */
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
