// What marks a stored message: pinned or kept in its chat for everyone, starred for the account alone.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { SettingChange } from '../driver/driver.ts'
import type { Batch } from './intake-batch.ts'
import { findReceiptTarget, findTarget } from './message-lookup.ts'
import { createUpdateEvent, readExpiry } from './message-records.ts'

/** Who may pin in a group is checked by the network. `author`: of the message that is pinned, if its sender named one. */
export async function applyPin(batch: Batch, pin: MessageRecord, author: string): Promise<void> {
  const id = String(pin.content.target ?? '')
  const { row: target, elsewhere } = await findTarget(batch, id, pin, author)
  if (target?.record.status === 'Deleted') return
  const pinned = pin.content.pinned === true
  const pinnedUntil = Number(pin.content.pinnedUntil ?? 0)
  if (target) {
    const { pinned: _, pinnedUntil: __, ...content } = target.record.content
    const mark = pinned ? { pinned, pinnedUntil } : {}
    batch.changeRow(target, { ...target.record, content: { ...content, ...mark } })
  }
  // Receivers know this id as the id of another message.
  if (!target && elsewhere) return
  const { chatid, chatlid } = target?.record ?? pin
  const of = { messageid: target?.messageid ?? id, chatid, chatlid }
  const what = { type: 'PinnedMessage', state: pinned ? 'Pinned' : 'Unpinned' } as const
  const details = pinned ? { Type: 'pinned' as const, pinnedUntil } : { Type: 'unpinned' as const }
  batch.addEvents(createUpdateEvent(what, of, pin, details))
}

/** One of the messages that disappear stays, or no longer. `author`: of that message, if its sender named one. */
export async function applyKeep(batch: Batch, keep: MessageRecord, author: string): Promise<void> {
  const id = String(keep.content.target ?? '')
  const { row: target, elsewhere } = await findTarget(batch, id, keep, author)
  if (target?.record.status === 'Deleted') return
  const kept = keep.content.kept === true
  if (target) {
    const { kept: _, ...content } = target.record.content
    const record = { ...target.record, content: { ...content, ...(kept && { kept }) } }
    const expiresAt = readExpiry(record) ?? null
    batch.changeRow({ ...target, expiresAt }, record)
    if (expiresAt !== target.expiresAt) batch.changeExpiry({ ...target, expiresAt })
  }
  // Receivers know this id as the id of another message.
  if (!target && elsewhere) return
  const { chatid, chatlid } = target?.record ?? keep
  const of = { messageid: target?.messageid ?? id, chatid, chatlid }
  const what = { type: 'KeptMessage', state: kept ? 'Kept' : 'Unkept' } as const
  batch.addEvents(createUpdateEvent(what, of, keep, { Type: kept ? 'kept' : 'unkept' }))
}

export type StarChange = Extract<SettingChange, { kind: 'star' }>

/** Stars of messages that are not stored are not reported. `own`: the ids of the account, which set the star. */
export async function applyStar(
  batch: Batch,
  { chat, messageid, fromMe, starred }: StarChange,
  own: { jid: string; lid: string },
): Promise<void> {
  const { row } = await findReceiptTarget(batch, { messageid, chat, own: fromMe })
  if (!row || row.record.status === 'Deleted') return
  const { starred: before, ...content } = row.record.content
  // After linking, the phone sends all its stars.
  if ((before === true) === starred) return
  batch.changeRow(row, { ...row.record, content: { ...content, ...(starred && { starred }) } })
  const by = {
    sender: own.jid,
    sender_pn: own.jid,
    sender_lid: own.lid,
    fromMe: true,
    isGroup: row.record.isGroup,
    messageTimestamp: Date.now(),
  }
  const what = { type: 'StarredMessage', state: starred ? 'Starred' : 'Unstarred' } as const
  batch.addEvents(createUpdateEvent(what, row.record, by, { Type: starred ? 'starred' : 'unstarred' }))
}
