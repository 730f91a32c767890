// The intake stores the network's news of messages: the row and its report in one batch, each message reported once.

import type { MessageRecord, MessageStatus } from '../../shared/contract/message-requests.ts'
import { STATUS_JID } from '../../shared/jid.ts'
import type { Ack, NetworkMessage, Progress, Receipt, Restriction } from '../driver/driver.ts'
import { createMutex } from '../mutex.ts'
import { updateChat } from '../store/chat-store.ts'
import {
  findMessage,
  listUnreadMessages,
  type MessageRow,
  markSeen,
  type UnreadMessage,
} from '../store/message-store.ts'
import { type Batch, createBatch, createRecentRows } from './intake-batch.ts'
import { type KnownGroups, reportMessage, withCause } from './message-changes.ts'
import { findReceiptTarget, resolveName, toOrigin } from './message-lookup.ts'
import { createEvent, toRow } from './message-records.ts'
import type { OutcomeCommit } from './outcome-commit.ts'
import { createReceiptEvents, useMessageForms } from './receipt-events.ts'
import type { SessionDeps } from './session-deps.ts'
import { createLimits, type Limits, limitsByCode } from './session-limits.ts'
import type { StoredState } from './stored-state.ts'
import { createUnawaitedSends } from './unawaited-sends.ts'
import { createUndecryptable } from './undecryptable-messages.ts'

/** The act that sends a message, as the intake sees it. */
export interface PendingSend {
  onProven(): void
  /** Undefined when the act has ended. */
  outcomeCommit: OutcomeCommit | undefined
}

export interface Intake {
  storeMessages(storeMessages: NetworkMessage[]): Promise<void>
  storeReceipts(storeReceipts: Receipt[]): void
  storeAck(storeAck: Ack): void
  storeRestriction(restriction: Restriction): void
  readonly limits: Limits
  /** The network refused an act with `code`. For a `message` the event is reported when the message is settled. */
  recordRefusal(action: string, code: number | undefined, message: boolean): void
  /**
   * Stores a message that is about to be sent: before this returns, or `deferred` until the socket is about to send.
   * `unawaited`: its outcome is reported as an event.
   */
  storePending(row: MessageRow, when: { deferred: boolean; unawaited: boolean }): Promise<void>
  /** Changes a message that is being sent. */
  changePending(record: MessageRecord, encoded?: Uint8Array<ArrayBuffer>): Promise<void>
  /** Stores what became of a message; answers the record afterwards. Calling it twice has the effect of once. */
  recordProgress(messageid: string, progress: Progress, error?: string): Promise<MessageRecord | undefined>
  /** Calls `sender.proven` when any event of the network shows that this own message was sent. Answers a function that ends that. */
  onceProven(messageid: string, sender: PendingSend): () => void
  /** Reports an unawaited send whose outcome is unknown. */
  reportUnknown(messageid: string): void
  findMessage(messageid: string): Promise<MessageRow | undefined>
  /** Newest first. */
  listUnread(chatids: string[], max: number): Promise<UnreadMessage[]>
  /** Stores that these messages were marked read. */
  markRead(messageids: string[]): Promise<void>
  /** Runs `work` in turn with the other news of this session, in a separate batch. */
  enqueue(work: (batch: Batch) => Promise<void>): void
  /** From now on postponed messages are reported when they are due. */
  start(): void
  /** Reports all postponed messages at once. */
  reportPostponed(): Promise<void>
  /** Stops those reports. When it resolves, all news received so far is on disk. */
  stop(): Promise<void>
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

const toStatus = (progress: Progress): MessageStatus => (progress === 'Played' ? 'Read' : progress)

export function createIntake(deps: SessionDeps, state: StoredState, getGroups: () => KnownGroups): Intake {
  const { store, driver, log } = deps
  const mutex = createMutex()
  const { instance, kind } = state.row
  const recent = createRecentRows()
  const findRow = (messageid: string) => findMessage(store, instance, messageid)

  const runInBatch = <Result>(work: (batch: Batch) => Promise<Result>): Promise<Result> =>
    mutex(async () => {
      const batch = createBatch(deps, state, recent)
      const result = await work(batch)
      await batch.commit()
      return result
    })
  const logFailure = (error: unknown) =>
    log.error({ instance, err: error }, 'what was received is not stored')
  const enqueue = (work: (batch: Batch) => Promise<unknown>) => void runInBatch(work).catch(logFailure)
  /** The acts that wait for an own message to be proven. */
  const waiting = new Map<string, PendingSend>()
  const unawaited = createUnawaitedSends(store, instance)
  const limits = createLimits(deps, instance)
  const undecryptable = createUndecryptable(store, instance, enqueue)

  /** Applies `progress` to a stored message if it is news, and reports an own message with it. Answers the changed record. */
  async function applyProgress(batch: Batch, row: MessageRow, progress: Progress, error = '') {
    const status = toStatus(progress)
    const before = row.record
    const failing = status === 'Failed' && before.status === 'Pending'
    if (!failing && ranks[status] <= ranks[before.status]) return
    const record: MessageRecord = { ...before, status, error }
    batch.changeRow(row, record)
    if (before.status === 'Pending') {
      const sender = failing ? undefined : waiting.get(row.messageid)
      if (sender?.outcomeCommit) batch.addStatement(sender.outcomeCommit.buildStatement(record))
      unawaited.reportOutcome(batch, record)
      batch.onCommitted(() => {
        sender?.outcomeCommit?.markStored()
        deps.resolveFromRecord(record)
        sender?.onProven()
      })
      if (!failing && !row.change && row.chatid !== STATUS_JID)
        batch.addStatement(updateChat(instance, record))
    }
    const limit = failing && limitsByCode[Number(error)]
    if (limit) {
      const provider_code = Number(error)
      const limited = createEvent('limits', { event: { kind: limit, active: true, until: 0, provider_code } })
      withCause(batch, row).addEvents(limited)
      limits.recordLimit(limit, { active: true, until: 0 })
    }
    const firstSent = before.wasSentByApi && ranks[before.status] < ranks.Sent && !failing
    if (firstSent) await reportMessage(batch, { ...row, record }, { driver, groups: getGroups() })
    return record
  }

  async function applyMessage(batch: Batch, message: NetworkMessage): Promise<void> {
    const { row: known, name: messageid } = await resolveName(batch, message.messageid, toOrigin(message))
    if (known) {
      // The network sent us our own message, so it was sent, acknowledged or not.
      const sent = message.fromMe && known.record.status === 'Pending' ? 'Sent' : undefined
      const progress = message.progress ?? sent
      if (progress) await applyProgress(batch, known, progress)
      return
    }
    if (message.type === 'undecryptable') return undecryptable.postpone(batch, message)
    undecryptable.handleRepair(batch, message)
    const groups = getGroups()
    const groupName = message.isGroup ? groups.getName(message.chat.id) : ''
    const row = toRow({ ...message, messageid }, { instance, owner: state.owner, groupName })
    batch.addRow(row)
    await reportMessage(batch, row, { driver, groups }, message.targetAuthor)
  }

  async function applyReceipts(batch: Batch, receipts: Receipt[]): Promise<void> {
    const news: Receipt[] = []
    for (const receipt of receipts) {
      const { row, elsewhere } = await findReceiptTarget(batch, receipt)
      if (!receipt.own) {
        if (receipt.progress === 'Read' && row) batch.addStatement(markSeen(store, instance, [row.messageid]))
        continue
      }
      // The sender of this receipt never got the message that it names.
      if (!row && elsewhere) continue
      const advanced = row && (await applyProgress(batch, row, receipt.progress))
      // Edits and deletions are reported with the message that they change.
      if (row?.change) continue
      const placed = row ? useMessageForms(row, receipt) : receipt
      // In a group each member's receipt is news; in a chat of two only the first one of a kind.
      if (advanced || !row || receipt.isGroup || receipt.progress === 'Played') news.push(placed)
    }
    batch.addEvents(...createReceiptEvents(news))
  }

  const recordProgress = (messageid: string, progress: Progress, error?: string) =>
    runInBatch(async (batch) => {
      const row = await batch.findRow(messageid)
      return row && ((await applyProgress(batch, row, progress, error)) ?? row.record)
    })

  return {
    // An instance of kind `calls` takes no messages.
    async storeMessages(messages) {
      if (kind !== 'msgnet') return
      const work = runInBatch(async (batch) => {
        for (const message of messages) await applyMessage(batch, message)
      })
      work.catch(logFailure)
      return work
    },
    storeReceipts: (receipts) =>
      enqueue((batch) =>
        applyReceipts(
          batch,
          receipts.filter(({ progress }) => ranks[toStatus(progress)] > ranks.Sent),
        ),
      ),
    storeAck: ({ messageid, code }) =>
      void recordProgress(messageid, code === undefined ? 'Sent' : 'Failed', `${code ?? ''}`).catch(
        logFailure,
      ),
    limits,
    recordRefusal(action, code, message) {
      if (code === undefined || !limitsByCode[code]) return
      limits.recordRefusal(action, code)
      if (message || code !== overlimit.provider_code) return
      limits.recordLimit('rate_overlimit', overlimit)
      enqueue(async (batch) => batch.addEvents(createEvent('limits', { event: overlimit })))
    },
    storeRestriction({ kind, active, until, ...quota }) {
      limits.recordLimit(kind, { active, until, ...quota })
      enqueue(async (batch) =>
        batch.addEvents(createEvent('limits', { event: { kind, active, until, provider_code: 0 } })),
      )
    },
    storePending: (row, { deferred, unawaited: alone }) =>
      mutex(async () => {
        const batch = createBatch(deps, state, recent)
        batch.addRow(row)
        if (alone) unawaited.addSend(batch, row.messageid)
        await (deferred ? batch.defer() : batch.commit())
      }),
    changePending: (record, encoded) =>
      runInBatch(async (batch) => {
        const row = await batch.findRow(record.messageid)
        if (row && encoded) batch.rewriteRow({ ...row, record, encoded })
        else if (row) batch.changeRow(row, record)
      }),
    recordProgress,
    onceProven(messageid, sender) {
      waiting.set(messageid, sender)
      return () => void waiting.delete(messageid)
    },
    reportUnknown: (messageid) => enqueue((batch) => unawaited.reportUnknown(batch, messageid)),
    findMessage: findRow,
    listUnread: (chatids, max) => listUnreadMessages(store, instance, chatids, max),
    markRead: (messageids) =>
      runInBatch(async (batch) => batch.addStatement(markSeen(store, instance, messageids))),
    enqueue,
    start() {
      if (kind !== 'msgnet') return
      undecryptable.start()
      enqueue(unawaited.reportInterrupted)
    },
    reportPostponed: () => runInBatch(undecryptable.reportPostponed),
    async stop() {
      undecryptable.stop()
      await mutex(async () => recent.clear())
    },
  }
}
