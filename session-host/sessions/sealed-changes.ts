// Messages that are encrypted under the secret of another message: opened with it, or reported as unreadable; and what they do to it.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Driver, SealedMessage } from '../driver/driver.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { Batch } from './intake-batch.ts'
import { findTarget, isSameAuthor, listKnownIds, type Target } from './message-lookup.ts'
import {
  createEvent,
  createMessageEvent,
  createRow,
  getContentFields,
  type NewEvent,
} from './message-records.ts'
import type { NamedPeople } from './named-people.ts'

/** `early`: the message that it names is not here. `dropped`: it may not change that message, or that message is deleted. */
export interface Opening {
  state: 'open' | 'early' | 'unreadable' | 'dropped'
  row: MessageRow
  /** Of one that cannot be read. */
  event?: NewEvent | undefined
}

export interface Opener {
  openSealed: Driver['openSealed']
  describePeople: NamedPeople['describe']
}

/** `author`: of the message that it names, if its sender said who that is. */
export async function openSealedRow(
  batch: Batch,
  row: MessageRow,
  { openSealed, describePeople }: Opener,
  author: string,
): Promise<Opening> {
  const { record, encoded } = row
  const isEdit = record.type === 'edit'
  const target = await findTarget(batch, readTargetId(record), record, isEdit ? record.sender : author)
  const event = createUnreadableEvent(record, target)
  // Receivers know this id as the id of another message.
  if (!target.row) return { state: 'early', row, event: target.elsewhere && isEdit ? undefined : event }
  if (target.row.record.status === 'Deleted') return { state: 'dropped', row }
  if (isEdit && !isSameAuthor(target.row.record, record)) return { state: 'dropped', row }
  const opened = encoded && target.row.encoded && openSealed(describeSeal(target.row, row, encoded))
  if (!opened) return { state: 'unreadable', row, event }
  const { requestId, traceparent, storedAt } = row
  const people = await describePeople({ ...opened.content, ...toNaming(record) })
  const whole = { ...record, ...getContentFields(opened.content), ...people }
  return {
    state: 'open',
    row: { ...createRow(whole, row.instance, opened.encoded), requestId, traceparent, storedAt },
  }
}

const toNaming = ({ chatid, chatlid, sender, sender_pn, sender_lid, isGroup, fromMe }: MessageRecord) => ({
  chat: { id: chatid, pn: isGroup ? '' : chatid, lid: chatlid },
  sender: { id: sender, pn: sender_pn, lid: sender_lid },
  isGroup,
  fromMe,
})

function describeSeal(target: MessageRow, row: MessageRow, sealed: Uint8Array): SealedMessage {
  const own = isSameAuthor(target.record, row.record) ? [target.record, row.record] : undefined
  return {
    target: target.encoded ?? new Uint8Array(),
    targetid: target.messageid,
    authors: listKnownIds(...(own ?? [target.record])),
    sealed,
    writers: listKnownIds(...(own ?? [row.record])),
  }
}

/** Says that somebody changed or answered the message, though not how. */
function createUnreadableEvent(record: MessageRecord, { row: target }: Target): NewEvent {
  if (record.type !== 'edit') return createMessageEvent(record)
  const messageid = target?.messageid ?? record.edited
  const chatid = target?.record.chatid ?? record.chatid
  const chatlid = target?.record.chatlid || record.chatlid
  const { messageTimestamp: editedAt } = record
  const chat = { chatid, ...(chatlid && { chatlid }) }
  return createEvent('messages_edit', {
    event: { messageid, ...chat, text: '', mentions: [], editedAt, unreadable: true },
  })
}

/** The messageid that a change names. */
export const readTargetId = ({ edited, content }: MessageRecord): string =>
  edited || String(content.target ?? '')
