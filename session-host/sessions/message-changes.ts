// Messages that change another message: edits, deletions, reactions. Own and received ones are handled alike.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { toCause } from '@msgnet/shared/trace-context.ts'
import { truncateText } from '@msgnet/shared/truncation.ts'
import type { Driver } from '../driver/driver.ts'
import { isPlainName } from '../driver/message-names.ts'
import { endMedia } from '../store/media-rows.ts'
import type { MessageRow } from '../store/message-store.ts'
import { applyAnswer, applyChoice } from './apply-answer.ts'
import { applyVote } from './apply-vote.ts'
import type { ChatTimers } from './chat-timers.ts'
import type { Batch } from './intake-batch.ts'
import {
  type AuthorIds,
  findTarget,
  isBySameAuthor,
  isSameAuthor,
  type Origin,
  qualifyNameByOrigin,
} from './message-lookup.ts'
import { applyKeep, applyPin } from './message-marks.ts'
import {
  createEditedMessage,
  createEvent,
  createMessageEvent,
  createUpdateEvent,
  type NewEvent,
  replaceText,
} from './message-records.ts'
import { readTargetId } from './sealed-changes.ts'

/** Reactions that are stored with the message; large groups have more. */
export const MAX_REACTIONS = 100
/** An emoji takes about 35 bytes at most. */
const MAX_REACTION_BYTES = 256

/** The stored facts about the groups that messages come from. An interface, because the groups import the intake, which imports this. */
export interface KnownGroups {
  /** Empty when unknown. */
  getName(jid: string): string
  /** Whether this member may delete what others wrote. True for admins, and where the role is unknown: the network has checked it. */
  mayRemove(jid: string, by: Origin): Promise<boolean>
}

interface ChangeContext {
  driver: Driver
  groups: KnownGroups
  timers: Pick<ChatTimers, 'change'>
}

/**
 * Reports a new message: that it was written, or what it changed. `author`: the author of the message that it changes,
 * if the sender named one. Returns false if that message is not here.
 */
export async function reportMessage(
  into: Batch,
  row: MessageRow,
  context: ChangeContext,
  author = '',
): Promise<boolean> {
  const batch = withCause(into, row)
  switch (row.record.type) {
    case 'edit':
      return applyEdit(batch, row, context.driver)
    case 'delete':
      await applyDeletion(batch, row, context.groups, row.record.isGroup ? author : '')
      return true
    case 'pin':
      await applyPin(batch, row.record, row.record.isGroup ? author : '')
      return true
    case 'keep':
      await applyKeep(batch, row.record, row.record.isGroup ? author : '')
      return true
    case 'timer':
      await applyTimer(batch, row, context.timers)
      return true
    case 'vote':
      return applyVote(batch, row, context.driver, row.record.isGroup ? author : '')
  }
  const isApplied = await applyEffect(batch, row, context.driver, author)
  batch.addEvents(createMessageEvent(row.record))
  return isApplied
}

/** What a message that is reported itself changes in another one. Returns false if that one is not here. */
export async function applyEffect(
  batch: Batch,
  row: MessageRow,
  driver: Pick<Driver, 'addChoice'>,
  author: string,
): Promise<boolean> {
  if (row.record.type === 'reaction') return applyReaction(batch, row.record, author)
  switch (row.record.messageType) {
    case 'encEventResponseMessage':
      return applyAnswer(batch, row.record, author)
    case 'pollAddOptionMessage':
      return applyChoice(batch, row.record, driver, author)
    default:
      return true
  }
}

/** The same batch; its events name the request that sent the message. */
export function withCause(batch: Batch, row: MessageRow): Batch {
  const cause = toCause(row)
  return cause ? batch.withCause(cause) : batch
}

/** Only the author can edit a message. Of a message that was never seen, only its chat is known. */
async function applyEdit(batch: Batch, { record, encoded }: MessageRow, driver: Driver): Promise<boolean> {
  const { row: target, elsewhere } = await findTarget(batch, record.edited, record, record.sender)
  if (target && !isSameAuthor(target.record, record)) return true
  if (target?.record.status === 'Deleted') return true
  if (!target && elsewhere) return false
  const changed = target && applyWords(target.record, record)
  if (target && changed)
    batch.rewriteRow({
      ...target,
      record: changed,
      encoded: encoded ? driver.applyEdit(target.encoded ?? new Uint8Array(), encoded) : target.encoded,
    })
  batch.addEvents(createEditEvent(record, target, changed))
  return target !== undefined
}

/** `edited`: the message as it is in the history, with the words of an edit that did not come here. */
export function applyPastEdit(
  batch: Batch,
  target: MessageRow,
  { record, encoded }: MessageRow,
  driver: Driver,
): void {
  const { text, status } = target.record
  if (status === 'Deleted' || text === record.text) return
  const changed = applyWords(target.record, record)
  const before = target.encoded ?? new Uint8Array()
  batch.rewriteRow({
    ...target,
    record: changed,
    encoded: encoded ? driver.applyEdit(before, encoded) : target.encoded,
  })
  batch.addEvents(createEditEvent({ ...record, edited: target.messageid }, target, changed))
}

/** Messages of the chat disappear after another time from now on. */
async function applyTimer(
  batch: Batch,
  { record }: MessageRow,
  timers: ChangeContext['timers'],
): Promise<void> {
  const seconds = Number(record.content.seconds ?? 0)
  const { chatid, chatlid, isGroup, messageTimestamp } = record
  const timed = { chat: { id: chatid, pn: '', lid: chatlid }, isGroup }
  await timers.change(batch, timed, { seconds, setAt: messageTimestamp })
  const what = { type: 'ChatTimer', state: 'Changed' } as const
  batch.addEvents(createUpdateEvent(what, record, record, { Type: 'timer', seconds }))
}

/** `target`: the message as it was; `changed`: its record now. */
function createEditEvent(
  record: MessageRecord,
  target: MessageRow | undefined,
  changed: MessageRecord | undefined,
): NewEvent {
  const { text, mentions, messageTimestamp: editedAt, truncated } = record
  const messageid = target?.messageid ?? record.edited
  const chatid = target?.record.chatid ?? record.chatid
  const chatlid = target?.record.chatlid || record.chatlid
  const event = { messageid, chatid, ...(chatlid && { chatlid }), text, mentions, editedAt }
  const edit = createEvent('messages_edit', { event }, truncated)
  return { ...edit, also: createEditedMessage({ ...record, chatid, edited: messageid }, changed) }
}

/** Of a poll the choices change too, and of an event all that is said of it. */
function applyWords(target: MessageRecord, edit: MessageRecord): MessageRecord {
  const changed = replaceText(target, edit.text)
  const isStructured = target.type === 'poll' || target.messageType === 'eventMessage'
  const content = isStructured ? { ...changed.content, ...edit.content } : changed.content
  const { mentions, mentionsMe } = edit
  const truncated = target.truncated || edit.truncated
  return { ...changed, content, mentions, mentionsMe, edited: target.messageid, truncated }
}

/** The author can delete a message, and in a group its admins can. */
async function applyDeletion(
  batch: Batch,
  row: MessageRow,
  groups: ChangeContext['groups'],
  author: string,
): Promise<void> {
  const { record } = row
  const id = readTargetId(record)
  const { row: target, elsewhere } = await findTarget(batch, id, record, author || record.sender)
  const own = target ? isSameAuthor(target.record, record) : author === '' || isSender(record, author)
  if (!own && !(record.isGroup && (await groups.mayRemove(record.chatid, record)))) return
  if (target?.record.status === 'Deleted') return
  // The content is not stored. Of a message that we never saw, a tombstone is stored in case it still arrives.
  const gone = { text: '', content: {}, fileURL: '', status: 'Deleted' } as const
  if (target?.record.type === 'media') batch.addStatement(endMedia(row.instance, target.messageid))
  if (target)
    batch.rewriteRow({ ...target, unread: false, encoded: null, record: { ...target.record, ...gone } })
  else batch.addRow(createTombstone(row, id, elsewhere, own ? '' : author))
  // Receivers know this id as the id of another message.
  if (!target && elsewhere) return

  const { chatid, chatlid } = target?.record ?? record
  const of = { messageid: target?.messageid ?? id, chatid, chatlid }
  batch.addEvents(
    createUpdateEvent({ type: 'DeletedMessage', state: 'Deleted' }, of, record, { Type: 'Deleted' }),
  )
}

/** Bound to this chat and this author: other people may send a message with the same id. */
function createTombstone(row: MessageRow, id: string, elsewhere: boolean, author: string): MessageRow {
  const by = author && { sender: author, sender_pn: '', sender_lid: '', fromMe: false }
  const record: MessageRecord = { ...row.record, ...(by || {}) }
  const messageid = elsewhere || !isPlainName(id) ? qualifyNameByOrigin(id, record) : id
  return {
    ...row,
    messageid,
    change: true,
    unread: false,
    encoded: null,
    fromMe: record.fromMe,
    record: {
      ...record,
      id: `${record.owner}:${messageid}`,
      messageid,
      type: '',
      messageType: '',
      content: {},
      status: 'Deleted',
      wasSentByApi: false,
      track_id: '',
      track_source: '',
    },
    trackId: '',
    requestId: null,
    traceparent: null,
  }
}

async function applyReaction(batch: Batch, record: MessageRecord, author: string): Promise<boolean> {
  const { row: target } = await findTarget(batch, record.reaction, record, author)
  if (!target || target.record.status === 'Deleted') return target !== undefined
  batch.changeRow(target, addReaction(target.record, record))
  return true
}

type Reaction = Pick<MessageRecord, 'sender' | 'senderName' | 'fromMe' | 'text'>

/** In place of an earlier one of the same person; an empty text removes that. */
export function addReaction(target: MessageRecord, reaction: Reaction & AuthorIds): MessageRecord {
  const { sender, senderName, fromMe, text } = reaction
  const before = (target.content.reactions ?? []) as Reaction[]
  const others = before.filter((one) => !isBySameAuthor(one, reaction))
  const shortened = truncateText(text, MAX_REACTION_BYTES)
  const ownReaction = shortened === '' ? [] : [{ sender, senderName, fromMe, text: shortened }]
  const reactions = [...others, ...ownReaction].slice(-MAX_REACTIONS)
  return { ...target, content: { ...target.content, reactions } }
}

const isSender = ({ sender, sender_pn, sender_lid }: MessageRecord, jid: string) =>
  [sender, sender_pn, sender_lid].includes(jid)
