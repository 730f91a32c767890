// What a message does to another one: an edit, a deletion, a reaction. The same whoever sent it.

import type { MessagesUpdatePayload } from '../../shared/contract/events.ts'
import type { MessageRecord } from '../../shared/contract/message.ts'
import type { Driver } from '../driver/driver.ts'
import type { MessageRow } from '../store/messages.ts'
import type { Batch } from './batch.ts'
import { event, messageEvent } from './reporting.ts'

/** Reactions that are kept with the message; in large groups there are more. */
const REACTIONS_KEPT = 100

/** Tells of a message that has come to be: that it was written, or what it changed. */
export async function tellMessage(batch: Batch, row: MessageRow, driver: Driver): Promise<void> {
  switch (row.record.type) {
    case 'edit':
      return edit(batch, row, driver)
    case 'delete':
      return remove(batch, row)
    case 'reaction':
      await react(batch, row.record)
  }
  batch.tell(messageEvent(row.record))
}

async function edit(batch: Batch, { record, wire }: MessageRow, driver: Driver): Promise<void> {
  const target = await batch.find(record.edited)
  if (target && (!sameChat(target.record, record) || !sameAuthor(target.record, record))) return
  if (target?.record.status === 'Deleted') return
  if (target) {
    const changed = { ...target.record, text: record.text }
    batch.rewrite({ ...target, record: changed, wire: wire ? driver.editedForm(wire) : target.wire })
  }
  const { edited: messageid, text, messageTimestamp: editedAt } = record
  const chatid = target?.record.chatid ?? record.chatid
  batch.tell(event('messages_edit', { event: { messageid, chatid, text, editedAt } }))
}

/** Whose deletion it is in a group, the network has judged: admins may take back what others wrote. */
async function remove(batch: Batch, row: MessageRow): Promise<void> {
  const { record } = row
  const messageid = targetOf(record)
  const target = await batch.find(messageid)
  if (target && !sameChat(target.record, record)) return
  if (target && !record.isGroup && !sameAuthor(target.record, record)) return
  if (target?.record.status === 'Deleted') return
  // Nothing of what was said is kept; of what we never saw, that it is gone, should it still come.
  const gone = { text: '', content: {}, status: 'Deleted' } as const
  if (target) batch.rewrite({ ...target, unread: false, wire: null, record: { ...target.record, ...gone } })
  else batch.add(tombstone(row, messageid))

  const update: MessagesUpdatePayload = {
    type: 'DeletedMessage',
    state: 'Deleted',
    event: {
      MessageIDs: [messageid],
      chatid: target?.record.chatid ?? record.chatid,
      Sender: record.sender,
      sender_pn: record.sender_pn,
      sender_lid: record.sender_lid,
      IsFromMe: record.fromMe,
      IsGroup: record.isGroup,
      Timestamp: record.messageTimestamp,
    },
  }
  batch.tell(event('messages_update', update))
}

const tombstone = (row: MessageRow, messageid: string): MessageRow => ({
  ...row,
  ...{ messageid, change: true, unread: false, wire: null },
  record: {
    ...row.record,
    ...{ id: `${row.record.owner}:${messageid}`, messageid, type: '', messageType: '', content: {} },
    ...{ status: 'Deleted', wasSentByApi: false, track_id: '', track_source: '' },
  },
  trackId: '',
})

async function react(batch: Batch, record: MessageRecord): Promise<void> {
  const target = await batch.find(record.reaction)
  if (!target || target.record.status === 'Deleted' || !sameChat(target.record, record)) return
  const before = (target.record.content.reactions ?? []) as { sender: string; text: string }[]
  const others = before.filter(({ sender }) => sender !== record.sender)
  const mine = record.text === '' ? [] : [{ sender: record.sender, text: record.text }]
  const reactions = [...others, ...mine].slice(-REACTIONS_KEPT)
  batch.change(target, { ...target.record, content: { ...target.record.content, reactions } })
}

/** The messageid that an edit or a deletion is about. */
const targetOf = ({ edited, content }: MessageRecord): string => edited || String(content.target ?? '')

const overlap = (ones: string[], others: string[]) => ones.some((one) => one !== '' && others.includes(one))

const sameChat = (one: MessageRecord, other: MessageRecord) =>
  overlap([one.chatid, one.chatlid], [other.chatid, other.chatlid])

const sameAuthor = (one: MessageRecord, other: MessageRecord) =>
  one.fromMe === other.fromMe &&
  (one.fromMe ||
    overlap([one.sender, one.sender_pn, one.sender_lid], [other.sender, other.sender_pn, other.sender_lid]))
