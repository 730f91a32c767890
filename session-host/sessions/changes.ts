// What a message does to another one: an edit, a deletion, a reaction. The same whoever sent it.

import { boundedText } from '../../shared/bounds.ts'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { causeIn } from '../../shared/trace.ts'
import type { Driver } from '../driver/driver.ts'
import { isPlain } from '../message-names.ts'
import type { MessageRow } from '../store/messages.ts'
import type { Batch } from './batch.ts'
import { besideName, type Origin, sameAuthor, targetOf } from './naming.ts'
import { editedAnew, event, messageEvent, reworded, updateEvent } from './reporting.ts'
import { vote } from './votes.ts'

/** Reactions that are kept with the message; in large groups there are more. */
const REACTIONS_KEPT = 100
/** An emoji takes some 35 at most. */
const REACTION_BYTES = 256

/** What is known of the groups that messages come from. */
export interface KnownGroups {
  /** Empty when it is not known. */
  name(jid: string): string
  /** Whether somebody may take back what others wrote: an admin, as far as is known. What is not known the network has judged. */
  mayRemove(jid: string, by: Origin): Promise<boolean>
}

interface Around {
  driver: Driver
  groups: KnownGroups
}

/**
 * Tells of a message that has come to be: that it was written, or what it changed. `author`: who wrote what it changes,
 * where its sender said so.
 */
export async function reportMessage(
  into: Batch,
  row: MessageRow,
  around: Around,
  author = '',
): Promise<void> {
  const batch = causedBy(into, row)
  switch (row.record.type) {
    case 'edit':
      return edit(batch, row, around.driver)
    case 'delete':
      return remove(batch, row, around.groups, row.record.isGroup ? author : '')
    case 'vote':
      return vote(batch, row, around.driver, row.record.isGroup ? author : '')
    case 'reaction':
      await react(batch, row.record, author)
  }
  batch.report(messageEvent(row.record))
}

/** The same batch, in which every event names the request that sent the message. */
export function causedBy(batch: Batch, row: MessageRow): Batch {
  const cause = causeIn(row)
  if (!cause) return batch
  return { ...batch, report: (...events) => batch.report(...events.map((one) => ({ ...one, cause }))) }
}

/** Counts from who wrote the message. Of one that was never seen nothing else is known than that it is in this chat. */
async function edit(batch: Batch, { record, encoded }: MessageRow, driver: Driver): Promise<void> {
  const { row: target, elsewhere } = await targetOf(batch, record.edited, record, record.sender)
  if (target ? !sameAuthor(target.record, record) : elsewhere) return
  if (target?.record.status === 'Deleted') return
  if (target) {
    const truncated = target.record.truncated || record.truncated
    const changed = { ...reworded(target.record, record.text), truncated }
    batch.rewrite({
      ...target,
      record: changed,
      encoded: encoded ? driver.editedForm(encoded) : target.encoded,
    })
  }
  const { text, messageTimestamp: editedAt, truncated } = record
  const messageid = target?.messageid ?? record.edited
  const chatid = target?.record.chatid ?? record.chatid
  const edit = event('messages_edit', { event: { messageid, chatid, text, editedAt } }, truncated)
  batch.report({ ...edit, also: editedAnew({ ...record, chatid, edited: messageid }, target?.record) })
}

/** Counts from who wrote the message, and in a group from its admins. */
async function remove(
  batch: Batch,
  row: MessageRow,
  groups: Around['groups'],
  author: string,
): Promise<void> {
  const { record } = row
  const id = nameIn(record)
  const { row: target, elsewhere } = await targetOf(batch, id, record, author || record.sender)
  const own = target ? sameAuthor(target.record, record) : author === '' || isSender(record, author)
  if (!own && !(record.isGroup && (await groups.mayRemove(record.chatid, record)))) return
  if (target?.record.status === 'Deleted') return
  // Nothing of what was said is kept; of what we never saw, that it is gone, should it still come.
  const gone = { text: '', content: {}, status: 'Deleted' } as const
  if (target)
    batch.rewrite({ ...target, unread: false, encoded: null, record: { ...target.record, ...gone } })
  else batch.add(tombstone(row, id, elsewhere, own ? '' : author))
  // The id means another message to whoever was told of that one.
  if (!target && elsewhere) return

  const of = { messageid: target?.messageid ?? id, chatid: target?.record.chatid ?? record.chatid }
  batch.report(updateEvent({ type: 'DeletedMessage', state: 'Deleted' }, of, record, { Type: 'Deleted' }))
}

/** Of this chat and of this author, whoever else sends a message of that id. */
function tombstone(row: MessageRow, id: string, elsewhere: boolean, author: string): MessageRow {
  const by = author && { sender: author, sender_pn: '', sender_lid: '', fromMe: false }
  const record: MessageRecord = { ...row.record, ...(by || {}) }
  const messageid = elsewhere || !isPlain(id) ? besideName(id, record) : id
  return {
    ...row,
    ...{ messageid, change: true, unread: false, encoded: null, fromMe: record.fromMe },
    record: {
      ...record,
      ...{ id: `${record.owner}:${messageid}`, messageid, type: '', messageType: '', content: {} },
      ...{ status: 'Deleted', wasSentByApi: false, track_id: '', track_source: '' },
    },
    trackId: '',
    requestId: null,
    traceparent: null,
  }
}

async function react(batch: Batch, record: MessageRecord, author: string): Promise<void> {
  const { row: target } = await targetOf(batch, record.reaction, record, author)
  if (!target || target.record.status === 'Deleted') return
  const before = (target.record.content.reactions ?? []) as { sender: string; text: string }[]
  const others = before.filter(({ sender }) => sender !== record.sender)
  const text = boundedText(record.text, REACTION_BYTES)
  const mine = text === '' ? [] : [{ sender: record.sender, text }]
  const reactions = [...others, ...mine].slice(-REACTIONS_KEPT)
  batch.change(target, { ...target.record, content: { ...target.record.content, reactions } })
}

/** The messageid that an edit or a deletion is about. */
const nameIn = ({ edited, content }: MessageRecord): string => edited || String(content.target ?? '')

const isSender = ({ sender, sender_pn, sender_lid }: MessageRecord, jid: string) =>
  [sender, sender_pn, sender_lid].includes(jid)
