// Messages that change another message: edits, deletions, reactions. Own and received ones are handled alike.

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

/** Reactions that are stored with the message; large groups have more. */
const REACTIONS_KEPT = 100
/** An emoji takes about 35 bytes at most. */
const REACTION_BYTES = 256

/** The stored facts about the groups that messages come from. */
export interface KnownGroups {
  /** Empty when unknown. */
  name(jid: string): string
  /** Whether this member may delete what others wrote. True for admins, and where the role is unknown: the network has checked it. */
  mayRemove(jid: string, by: Origin): Promise<boolean>
}

interface Around {
  driver: Driver
  groups: KnownGroups
}

/**
 * Reports a new message: that it was written, or what it changed. `author`: who wrote the message that it changes,
 * if its sender named them.
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

/** The same batch; its events name the request that sent the message. */
export function causedBy(batch: Batch, row: MessageRow): Batch {
  const cause = causeIn(row)
  if (!cause) return batch
  return { ...batch, report: (...events) => batch.report(...events.map((one) => ({ ...one, cause }))) }
}

/** Only the author can edit a message. Of a message that was never seen, only its chat is known. */
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

/** The author can delete a message, and in a group its admins can. */
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
  // The content is not kept. Of a message that we never saw, a tombstone is stored in case it still arrives.
  const gone = { text: '', content: {}, status: 'Deleted' } as const
  if (target)
    batch.rewrite({ ...target, unread: false, encoded: null, record: { ...target.record, ...gone } })
  else batch.add(tombstone(row, id, elsewhere, own ? '' : author))
  // Receivers know this id as the id of another message.
  if (!target && elsewhere) return

  const of = { messageid: target?.messageid ?? id, chatid: target?.record.chatid ?? record.chatid }
  batch.report(updateEvent({ type: 'DeletedMessage', state: 'Deleted' }, of, record, { Type: 'Deleted' }))
}

/** Bound to this chat and this author: other people may send a message with the same id. */
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

/** The messageid that an edit or a deletion names. */
const nameIn = ({ edited, content }: MessageRecord): string => edited || String(content.target ?? '')

const isSender = ({ sender, sender_pn, sender_lid }: MessageRecord, jid: string) =>
  [sender, sender_pn, sender_lid].includes(jid)
