// What the network tells of messages, made durable: the row and its report in one batch, each message reported once.

import type { MessageRecord, MessageStatus } from '../../shared/contract/message.ts'
import type { Ack, NetworkMessage, Progress, Receipt } from '../driver/driver.ts'
import { makeLane } from '../lane.ts'
import {
  addMessage,
  changeRecord,
  findMessage,
  type MessageRow,
  markSeen,
  unreadMessages,
} from '../store/messages.ts'
import type { Statement } from '../store/store.ts'
import type { KeptState } from './kept-state.ts'
import { type EventOf, inChatOf, messageEvent, receiptEvents, toRow } from './reporting.ts'
import type { SessionParts } from './session.ts'

export interface Intake {
  messages(messages: NetworkMessage[]): Promise<void>
  receipts(receipts: Receipt[]): void
  ack(ack: Ack): void
  /** Stores a message that is about to be sent, before the network hears of it. */
  pend(row: MessageRow): Promise<void>
  /** More has become known of it on the way. */
  amend(record: MessageRecord): Promise<void>
  /** What became of it; answers the record as it is now. Told twice, it is done once. */
  settle(messageid: string, progress: Progress, error?: string): Promise<MessageRecord | undefined>
  find(messageid: string): Promise<MessageRow | undefined>
  /** Newest first. */
  unread(chatids: string[], most: number): Promise<MessageRow[]>
  /** They have been marked read. */
  seen(messageids: string[]): Promise<void>
  /** Everything told so far is on disk. */
  settled(): Promise<void>
}

const ranks: Record<MessageStatus, number> = {
  '': 0,
  Pending: 1,
  Failed: 1,
  Sent: 2,
  Delivered: 3,
  Read: 4,
  Deleted: 5,
}

const statusOf = (progress: Progress): MessageStatus => (progress === 'Played' ? 'Read' : progress)

export function makeIntake({ store, outbox, metrics, log }: SessionParts, state: KeptState): Intake {
  const lane = makeLane()
  const { instance, kind } = state.row
  const find = (messageid: string) => findMessage(store, instance, messageid)

  const enter = (work: () => Promise<unknown>) =>
    void lane(work).catch((thrown) => log.error({ instance, err: thrown }, 'what was received is not stored'))

  async function commit(statements: Statement[], events: EventOf[]): Promise<void> {
    const about = { t: 'event', instance, epoch: state.row.epoch, owner: state.owner } as const
    const reports = events.map((event) => ({ ...about, id: crypto.randomUUID(), at: Date.now(), ...event }))
    await outbox.commit(statements, reports)
    for (const { type } of events) metrics.reports.inc({ type })
  }

  /** The change that `progress` makes to a stored message, if it makes one; a message sent by us is reported with it. */
  function advance(row: MessageRow, progress: Progress, error = '') {
    const status = statusOf(progress)
    const before = row.record
    const failed = status === 'Failed' && before.status === 'Pending'
    if (!failed && ranks[status] <= ranks[before.status]) return
    const record: MessageRecord = { ...before, status, error }
    const firstSent = before.wasSentByApi && ranks[before.status] < ranks.Sent && !failed
    return { record, events: firstSent ? [messageEvent(record)] : [] }
  }

  async function takeMessages(told: NetworkMessage[]): Promise<void> {
    const statements: Statement[] = []
    const events: EventOf[] = []
    const seen = new Set<string>()
    for (const message of told) {
      if (seen.has(message.messageid)) continue
      seen.add(message.messageid)
      const known = await find(message.messageid)
      if (!known) {
        const row = toRow(message, instance, state.owner)
        statements.push(addMessage(store, row))
        events.push(messageEvent(row.record))
        continue
      }
      const advanced = message.progress && advance(known, message.progress)
      if (!advanced) continue
      statements.push(changeRecord(store, instance, advanced.record))
      events.push(...advanced.events)
    }
    await commit(statements, events)
  }

  async function takeReceipts(told: Receipt[]): Promise<void> {
    const statements: Statement[] = []
    const events: EventOf[] = []
    const news: Receipt[] = []
    const changed = new Map<string, MessageRow>()
    for (const receipt of told) {
      if (!receipt.ours) {
        if (receipt.progress === 'Read') statements.push(markSeen(store, instance, [receipt.messageid]))
        continue
      }
      const row = changed.get(receipt.messageid) ?? (await find(receipt.messageid))
      const advanced = row && advance(row, receipt.progress)
      if (advanced) {
        changed.set(receipt.messageid, { ...row, record: advanced.record })
        statements.push(changeRecord(store, instance, advanced.record))
        events.push(...advanced.events)
      }
      const placed = row ? inChatOf(row.record, receipt) : receipt
      // Of a group each member's receipt is news, of a chat of two only what was not known.
      if (advanced || !row || receipt.isGroup || receipt.progress === 'Played') news.push(placed)
    }
    await commit(statements, [...events, ...receiptEvents(news)])
  }

  async function settle(messageid: string, progress: Progress, error?: string) {
    const row = await find(messageid)
    const advanced = row && advance(row, progress, error)
    if (!advanced) return row?.record
    await commit([changeRecord(store, instance, advanced.record)], advanced.events)
    return advanced.record
  }

  return {
    // An instance of kind `calls` is a device for voice: what people write is not its business.
    async messages(told) {
      if (kind !== 'msgnet') return
      const work = lane(() => takeMessages(told))
      work.catch((thrown) => log.error({ instance, err: thrown }, 'what was received is not stored'))
      return work
    },
    receipts: (told) =>
      enter(() => takeReceipts(told.filter(({ progress }) => ranks[statusOf(progress)] > ranks.Sent))),
    ack: ({ messageid, code }) =>
      enter(() =>
        settle(messageid, code === undefined ? 'Sent' : 'Failed', code === undefined ? '' : `${code}`),
      ),
    pend: (row) => lane(() => store.commit([addMessage(store, row)])),
    amend: (record) => lane(() => store.commit([changeRecord(store, instance, record)])),
    settle: (messageid, progress, error) => lane(() => settle(messageid, progress, error)),
    find,
    unread: (chatids, most) => unreadMessages(store, instance, chatids, most),
    seen: (messageids) => lane(() => store.commit([markSeen(store, instance, messageids)])),
    settled: () => lane(async () => undefined),
  }
}
