// The intake stores the network's news of messages: the row and its report in one batch, each message reported once.

import type { MessageRecord, MessageStatus } from '../../shared/contract/message.ts'
import { STATUS } from '../../shared/jid.ts'
import type { Ack, NetworkMessage, Progress, Receipt, Restriction } from '../driver/driver.ts'
import { makeMutex } from '../mutex.ts'
import { touchChat } from '../store/chats.ts'
import {
  findMessage,
  type MessageRow,
  markSeen,
  type UnreadMessage,
  unreadMessages,
} from '../store/messages.ts'
import { type Batch, makeBatch, makeRecentRows } from './batch.ts'
import { causedBy, type KnownGroups, reportMessage } from './changes.ts'
import type { SessionDeps } from './deps.ts'
import type { KeptState } from './kept-state.ts'
import { type Limits, limitsOf, makeLimits } from './limits.ts'
import { nameFor, originOf, receiptTarget } from './naming.ts'
import { inChatOf, receiptEvents } from './receipts.ts'
import { event, toRow } from './reporting.ts'
import type { Settling } from './settling.ts'
import { makeUnawaited } from './unawaited.ts'
import { makeUndecryptable } from './undecryptable.ts'

/** The act that sends a message, as the intake sees it. */
export interface Sender {
  proven(): void
  /** Undefined when the act has ended. */
  settling: Settling | undefined
}

export interface Intake {
  messages(messages: NetworkMessage[]): Promise<void>
  receipts(receipts: Receipt[]): void
  ack(ack: Ack): void
  restricted(restriction: Restriction): void
  readonly limits: Limits
  /** The network refused an act with `code`. For a `message` the event is reported when the message is settled. */
  refused(action: string, code: number | undefined, message: boolean): void
  /**
   * Stores a message that is about to be sent: before this returns, or `deferred` until the socket is about to send.
   * `unawaited`: its outcome is reported as an event.
   */
  pend(row: MessageRow, when: { deferred: boolean; unawaited: boolean }): Promise<void>
  /** Changes a message that is being sent. */
  amend(record: MessageRecord, encoded?: Uint8Array<ArrayBuffer>): Promise<void>
  /** Stores what became of a message; answers the record afterwards. Calling it twice has the effect of once. */
  settle(messageid: string, progress: Progress, error?: string): Promise<MessageRecord | undefined>
  /** Calls `sender.proven` when any event of the network shows that this own message was sent. Answers a function that ends that. */
  onceProven(messageid: string, sender: Sender): () => void
  /** Reports an unawaited send whose outcome is unknown. */
  reportUnknown(messageid: string): void
  find(messageid: string): Promise<MessageRow | undefined>
  /** Newest first. */
  unread(chatids: string[], most: number): Promise<UnreadMessage[]>
  /** Stores that these messages were marked read. */
  seen(messageids: string[]): Promise<void>
  /** Runs `work` in turn with the other news of this session, in a separate batch. */
  enqueue(work: (batch: Batch) => Promise<void>): void
  /** From now on postponed messages are reported when they are due. */
  start(): void
  /** Reports all postponed messages at once. */
  reportPostponed(): Promise<void>
  /** Stops those reports. When it resolves, all news received so far is on disk. */
  end(): Promise<void>
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

const overlimit = { kind: 'rate_overlimit', active: true, until: 0, provider_code: 429 } as const

const statusOf = (progress: Progress): MessageStatus => (progress === 'Played' ? 'Read' : progress)

export function makeIntake(deps: SessionDeps, state: KeptState, groupsOf: () => KnownGroups): Intake {
  const { store, driver, log } = deps
  const mutex = makeMutex()
  const { instance, kind } = state.row
  const recent = makeRecentRows()
  const find = (messageid: string) => findMessage(store, instance, messageid)

  const inBatch = <Result>(work: (batch: Batch) => Promise<Result>): Promise<Result> =>
    mutex(async () => {
      const batch = makeBatch(deps, state, recent)
      const result = await work(batch)
      await batch.commit()
      return result
    })
  const failed = (thrown: unknown) => log.error({ instance, err: thrown }, 'what was received is not stored')
  const enqueue = (work: (batch: Batch) => Promise<unknown>) => void inBatch(work).catch(failed)
  /** The acts that wait for an own message to be proven. */
  const waiting = new Map<string, Sender>()
  const unawaited = makeUnawaited(store, instance)
  const limits = makeLimits(deps, instance)
  const undecryptable = makeUndecryptable(store, instance, enqueue)

  /** Applies `progress` to a stored message if it is news, and reports an own message with it. Answers the changed record. */
  async function advance(batch: Batch, row: MessageRow, progress: Progress, error = '') {
    const status = statusOf(progress)
    const before = row.record
    const failing = status === 'Failed' && before.status === 'Pending'
    if (!failing && ranks[status] <= ranks[before.status]) return
    const record: MessageRecord = { ...before, status, error }
    batch.change(row, record)
    if (before.status === 'Pending') {
      const sender = failing ? undefined : waiting.get(row.messageid)
      if (sender?.settling) batch.run(sender.settling.statement(record))
      unawaited.settle(batch, record)
      batch.afterwards(() => {
        sender?.settling?.done()
        deps.resolveFrom(record)
        sender?.proven()
      })
      if (!failing && !row.change && row.chatid !== STATUS) batch.run(touchChat(instance, record))
    }
    const limit = failing && limitsOf[Number(error)]
    if (limit) {
      const provider_code = Number(error)
      const limited = event('limits', { event: { kind: limit, active: true, until: 0, provider_code } })
      causedBy(batch, row).report(limited)
      limits.received(limit, { active: true, until: 0 })
    }
    const firstSent = before.wasSentByApi && ranks[before.status] < ranks.Sent && !failing
    if (firstSent) await reportMessage(batch, { ...row, record }, { driver, groups: groupsOf() })
    return record
  }

  async function takeMessage(batch: Batch, message: NetworkMessage): Promise<void> {
    const { row: known, name: messageid } = await nameFor(batch, message.messageid, originOf(message))
    if (known) {
      // The network sent us our own message, so it was sent, acknowledged or not.
      const sent = message.fromMe && known.record.status === 'Pending' ? 'Sent' : undefined
      const progress = message.progress ?? sent
      if (progress) await advance(batch, known, progress)
      return
    }
    if (message.type === 'undecryptable') return undecryptable.postpone(batch, message)
    undecryptable.repaired(batch, message)
    const groups = groupsOf()
    const groupName = message.isGroup ? groups.name(message.chat.id) : ''
    const row = toRow({ ...message, messageid }, { instance, owner: state.owner, groupName })
    batch.add(row)
    await reportMessage(batch, row, { driver, groups }, message.targetAuthor)
  }

  async function takeReceipts(batch: Batch, receipts: Receipt[]): Promise<void> {
    const news: Receipt[] = []
    for (const receipt of receipts) {
      const { row, elsewhere } = await receiptTarget(batch, receipt)
      if (!receipt.ours) {
        if (receipt.progress === 'Read' && row) batch.run(markSeen(store, instance, [row.messageid]))
        continue
      }
      // The sender of this receipt never got the message that it names.
      if (!row && elsewhere) continue
      const advanced = row && (await advance(batch, row, receipt.progress))
      // Edits and deletions are reported with the message that they change.
      if (row?.change) continue
      const placed = row ? inChatOf(row, receipt) : receipt
      // In a group each member's receipt is news; in a chat of two only the first one of a kind.
      if (advanced || !row || receipt.isGroup || receipt.progress === 'Played') news.push(placed)
    }
    batch.report(...receiptEvents(news))
  }

  const settle = (messageid: string, progress: Progress, error?: string) =>
    inBatch(async (batch) => {
      const row = await batch.find(messageid)
      return row && ((await advance(batch, row, progress, error)) ?? row.record)
    })

  return {
    // An instance of kind `calls` takes no messages.
    async messages(messages) {
      if (kind !== 'msgnet') return
      const work = inBatch(async (batch) => {
        for (const message of messages) await takeMessage(batch, message)
      })
      work.catch(failed)
      return work
    },
    receipts: (receipts) =>
      enqueue((batch) =>
        takeReceipts(
          batch,
          receipts.filter(({ progress }) => ranks[statusOf(progress)] > ranks.Sent),
        ),
      ),
    ack: ({ messageid, code }) =>
      void settle(messageid, code === undefined ? 'Sent' : 'Failed', `${code ?? ''}`).catch(failed),
    limits,
    refused(action, code, message) {
      if (code === undefined || !limitsOf[code]) return
      limits.refused(action, code)
      if (message || code !== overlimit.provider_code) return
      limits.received('rate_overlimit', overlimit)
      enqueue(async (batch) => batch.report(event('limits', { event: overlimit })))
    },
    restricted({ kind, active, until, ...quota }) {
      limits.received(kind, { active, until, ...quota })
      enqueue(async (batch) =>
        batch.report(event('limits', { event: { kind, active, until, provider_code: 0 } })),
      )
    },
    pend: (row, { deferred, unawaited: alone }) =>
      mutex(async () => {
        const batch = makeBatch(deps, state, recent)
        batch.add(row)
        if (alone) unawaited.add(batch, row.messageid)
        await (deferred ? batch.defer() : batch.commit())
      }),
    amend: (record, encoded) =>
      inBatch(async (batch) => {
        const row = await batch.find(record.messageid)
        if (row && encoded) batch.rewrite({ ...row, record, encoded })
        else if (row) batch.change(row, record)
      }),
    settle,
    onceProven(messageid, sender) {
      waiting.set(messageid, sender)
      return () => void waiting.delete(messageid)
    },
    reportUnknown: (messageid) => enqueue((batch) => unawaited.unknown(batch, messageid)),
    find,
    unread: (chatids, most) => unreadMessages(store, instance, chatids, most),
    seen: (messageids) => inBatch(async (batch) => batch.run(markSeen(store, instance, messageids))),
    enqueue,
    start() {
      if (kind !== 'msgnet') return
      undecryptable.start()
      enqueue(unawaited.recall)
    },
    reportPostponed: () => inBatch(undecryptable.reportPostponed),
    async end() {
      undecryptable.stop()
      await mutex(async () => recent.clear())
    },
  }
}
