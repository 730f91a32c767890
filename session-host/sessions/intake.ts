// The intake stores the network's news of messages: the row and its report in one batch, each message reported once.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { Ack, NetworkMessage, Prevention, Progress, Receipt, Restriction } from '../driver/driver.ts'
import { createMutex } from '../process/mutex.ts'
import { updateChat } from '../store/chat-store.ts'
import {
  findMessage,
  listUnreadMessages,
  type MessageRow,
  markSeen,
  type UnreadMessage,
} from '../store/message-store.ts'
import { ChatTimers, type TimedGroups } from './chat-timers.ts'
import { HeldReports } from './held-reports.ts'
import { IncomingChanges } from './incoming-changes.ts'
import { Batch, type BatchDeps, createRecentRows } from './intake-batch.ts'
import { KnownUsernames } from './known-usernames.ts'
import { LostMessages } from './lost-messages.ts'
import { type KnownGroups, reportMessage, withCause } from './message-changes.ts'
import { findReceiptTarget, resolveName, toOrigin } from './message-lookup.ts'
import { createEvent, createFileEvent, formatFileLink, toRow } from './message-records.ts'
import { NamedPeople } from './named-people.ts'
import { findMenuAnswer, mayAnswerMenu } from './number-answers.ts'
import type { OutcomeCommit } from './outcome-commit.ts'
import { createReceiptEvents, statusRanks, toStatus, useMessageForms } from './receipt-events.ts'
import type { SessionDeps } from './session-deps.ts'
import { Limits, limitsByCode } from './session-limits.ts'
import type { StoredState } from './stored-state.ts'
import { UnawaitedSends } from './unawaited-sends.ts'
import { UndecryptableMessages } from './undecryptable-messages.ts'

/** The act that sends a message, as the intake sees it. */
export interface PendingSend {
  onProven(): void
  /** Undefined when the act has ended. */
  outcomeCommit: OutcomeCommit | undefined
}

/** The host stopped before anything of the message had left. */
const NOT_SENT: Prevention = 'msgnet_unreachable'

const overlimit = { kind: 'rate_overlimit', active: true, until: 0, provider_code: 429 } as const

export class Intake {
  readonly limits: Limits
  readonly usernames: KnownUsernames
  readonly people: NamedPeople
  readonly timers: ChatTimers
  readonly #deps: SessionDeps
  readonly #state: StoredState
  readonly #getGroups: () => KnownGroups
  readonly #mutex = createMutex()
  readonly #recent = createRecentRows()
  /** The acts that wait until the network shows that their message was sent. */
  readonly #waiting = new Map<string, PendingSend>()
  readonly #unawaited: UnawaitedSends
  readonly lost: LostMessages
  readonly #undecryptable: UndecryptableMessages
  readonly changes: IncomingChanges
  /** Undefined if files are not kept. */
  readonly #held: HeldReports | undefined
  readonly #batchDeps: BatchDeps

  constructor(deps: SessionDeps, state: StoredState, getGroups: () => KnownGroups & TimedGroups) {
    const { instance } = state.row
    this.#deps = deps
    this.#state = state
    this.#getGroups = getGroups
    this.limits = new Limits(deps, instance)
    this.usernames = new KnownUsernames(deps.store, instance)
    this.people = new NamedPeople(deps.store, state)
    this.timers = new ChatTimers(deps.store, instance, getGroups)
    this.#unawaited = new UnawaitedSends(deps.store, instance)
    this.lost = new LostMessages(deps, state)
    const enqueue: Intake['enqueue'] = (work) => this.enqueue(work)
    this.#undecryptable = new UndecryptableMessages(deps.store, instance, this.lost, enqueue)
    this.changes = new IncomingChanges(deps, instance, {
      getGroups,
      timers: this.timers,
      people: this.people,
      undecryptable: this.#undecryptable,
    })
    if (deps.storedMedia.isOn) this.#held = new HeldReports(deps, instance, (work) => this.enqueue(work))
    this.#batchDeps = { ...deps, held: this.#held }
  }

  get #instance(): string {
    return this.#state.row.instance
  }

  /** Resolves when they are on disk. An instance of kind `calls` takes no messages. */
  async storeMessages(messages: NetworkMessage[]): Promise<void> {
    if (this.#state.row.kind !== 'msgnet') return
    const work = this.runInBatch(async (batch) => {
      for (const message of messages) await this.#applyMessage(batch, message)
    })
    work.catch((error) => this.#logFailure(error))
    return work
  }

  storeReceipts(receipts: Receipt[]): void {
    const news = receipts.filter(({ progress }) => statusRanks[toStatus(progress)] > statusRanks.Sent)
    this.enqueue((batch) => this.#applyReceipts(batch, news))
  }

  storeAck({ messageid, code }: Ack): void {
    const progress = code === undefined ? 'Sent' : 'Failed'
    this.recordProgress(messageid, progress, `${code ?? ''}`).catch((error) => this.#logFailure(error))
  }

  storeRestriction({ kind, active, until, ...quota }: Restriction): void {
    this.limits.recordLimit(kind, { active, until, ...quota })
    this.enqueue(async (batch) =>
      batch.addEvents(createEvent('limits', { event: { kind, active, until, provider_code: 0 } })),
    )
  }

  /** The network refused an act with `code`. For a `message` the event is reported when its failure is stored. */
  recordRefusal(action: string, code: number | undefined, message: boolean): void {
    if (code === undefined || !limitsByCode[code]) return
    this.limits.recordRefusal(action, code)
    if (message || code !== overlimit.provider_code) return
    this.limits.recordLimit('rate_overlimit', overlimit)
    this.enqueue(async (batch) => batch.addEvents(createEvent('limits', { event: overlimit })))
  }

  /** Stores a message before it is sent: at once, or `deferred` until a frame of the instance. `unawaited`: its outcome is reported as an event. */
  storePending(row: MessageRow, options: { deferred: boolean; unawaited: boolean }): Promise<void> {
    return this.#mutex(async () => {
      const batch = this.#createBatch()
      batch.addRow(row)
      if (options.unawaited) this.#unawaited.addSend(batch, row.messageid)
      await (options.deferred ? batch.defer() : batch.commit())
    })
  }

  /** Stores an unawaited send that is leaving, before its frame, together with `statements`. Resolves when it is on disk. */
  storeLeaving(row: MessageRow, statements: Statement[]): Promise<void> {
    const batch = this.#createBatch()
    batch.addRow(row)
    this.#unawaited.addSend(batch, row.messageid, true)
    for (const statement of statements) batch.addStatement(statement)
    return batch.writeBeforeFrame()
  }

  /** Changes a message that is being sent. */
  changePending(record: MessageRecord, encoded?: Uint8Array<ArrayBuffer>): Promise<void> {
    return this.runInBatch(async (batch) => {
      const row = await batch.findRow(record.messageid)
      const { chatid } = record
      if (row && (encoded || chatid !== row.chatid))
        batch.rewriteRow({ ...row, chatid, record, encoded: encoded ?? row.encoded })
      else if (row) batch.changeRow(row, record)
    })
  }

  /** Stores the progress of a message; returns the record afterwards. Calling it twice has the effect of once. */
  recordProgress(messageid: string, progress: Progress, error?: string): Promise<MessageRecord | undefined> {
    return this.runInBatch(async (batch) => {
      const row = await batch.findRow(messageid)
      return row && ((await this.#applyProgress(batch, row, progress, error)) ?? row.record)
    })
  }

  /** Calls `send.onProven` when any event of the network shows that this own message was sent. Returns a function that ends that. */
  onceProven(messageid: string, send: PendingSend): () => void {
    this.#waiting.set(messageid, send)
    return () => void this.#waiting.delete(messageid)
  }

  /** An unawaited send is about to leave; that is on disk before. */
  markLeft(messageid: string): void {
    this.#unawaited.markLeft(messageid)
  }

  /** The caller of this send has gone: its outcome is reported from now on. */
  endWait(messageid: string, hasLeft: () => boolean): void {
    this.enqueue(async (batch) => {
      const row = await batch.findRow(messageid)
      if (row?.record.status === 'Pending') this.#unawaited.addSend(batch, messageid, hasLeft())
    })
  }

  /** Reports an unawaited send whose outcome is unknown. */
  reportUnknown(messageid: string): void {
    this.enqueue((batch) => this.#unawaited.reportUnknown(batch, messageid))
  }

  /** The file of these messages is stored, or will not be; `statements` say so, in the same batch. */
  recordFile(messageids: string[], isStored: boolean, statements: Statement[]): Promise<void> {
    return this.runInBatch(async (batch) => {
      for (const statement of statements) batch.addStatement(statement)
      const links = new Map<string, string | undefined>()
      const records: MessageRecord[] = []
      for (const messageid of messageids) {
        const row = await batch.findRow(messageid)
        const isLinked = isStored && row !== undefined && row.record.status !== 'Deleted'
        links.set(messageid, isLinked ? formatFileLink(messageid) : undefined)
        if (!isLinked) continue
        const record = { ...row.record, fileURL: formatFileLink(messageid) }
        batch.changeRow(row, record)
        records.push(record)
      }
      const held = await this.#held?.endWaits(batch, links)
      for (const record of records) if (!held?.has(record.messageid)) batch.addEvents(createFileEvent(record))
    })
  }

  /** A message of a gap, which is stored already: reported as if it had come now. */
  async reportLate(batch: Batch, row: MessageRow): Promise<void> {
    await this.#scheduleFile(batch, row)
    await reportMessage(batch, row, this.#getContext())
  }

  findMessage(messageid: string): Promise<MessageRow | undefined> {
    return findMessage(this.#deps.store, this.#instance, messageid)
  }

  /** Newest first. */
  listUnread(chatids: string[], max: number): Promise<UnreadMessage[]> {
    return listUnreadMessages(this.#deps.store, this.#instance, chatids, max)
  }

  /** Stores that these messages were marked read. */
  markRead(messageids: string[]): Promise<void> {
    return this.runInBatch(async (batch) =>
      batch.addStatement(markSeen(this.#deps.store, this.#instance, messageids)),
    )
  }

  /** Runs `work` in turn with the other news of this session, in a separate batch; resolves when that is on disk. */
  runInBatch<Result>(work: (batch: Batch) => Promise<Result>): Promise<Result> {
    return this.#mutex(async () => {
      const batch = this.#createBatch()
      const result = await work(batch)
      await batch.commit()
      return result
    })
  }

  /** The same, without a caller that waits. */
  enqueue(work: (batch: Batch) => Promise<void>): void {
    this.runInBatch(work).catch((error) => this.#logFailure(error))
  }

  /** From now on postponed messages are reported when they are due. */
  start(): void {
    if (this.#state.row.kind !== 'msgnet') return
    this.#held?.start()
    this.#undecryptable.start()
    this.enqueue((batch) => this.#reportInterrupted(batch))
  }

  /** Reports all postponed messages at once. */
  reportPostponed(): Promise<void> {
    return this.runInBatch(async (batch) => {
      await this.#undecryptable.reportPostponed(batch)
      await this.#held?.releaseAll(batch)
    })
  }

  /** Stops those reports. When it resolves, all news received so far is on disk. */
  async stop(): Promise<void> {
    this.#undecryptable.stop()
    this.#held?.stop()
    await this.#mutex(async () => {
      this.#recent.clear()
      this.usernames.clear()
      this.people.clear()
      this.timers.clear()
      this.changes.clear()
    })
  }

  #getContext = () => ({ driver: this.#deps.driver, groups: this.#getGroups(), timers: this.timers })

  #createBatch(): Batch {
    const { row, owner } = this.#state
    return new Batch(this.#batchDeps, { instance: row.instance, epoch: row.epoch, owner }, this.#recent)
  }

  #logFailure(error: unknown): void {
    this.#deps.log.error({ instance: this.#instance, error }, 'failed to store what was received')
  }

  async #applyMessage(batch: Batch, message: NetworkMessage): Promise<void> {
    const { row: known, name: messageid } = await resolveName(batch, message.messageid, toOrigin(message))
    // A message that came by itself is news, and replaces its copy of the history.
    const isCopy = known?.record.source === 'history'
    if (known && !isCopy) {
      // The network sent us our own message, so it was sent, acknowledged or not.
      const sent = message.fromMe && known.record.status === 'Pending' ? 'Sent' : undefined
      const progress = message.progress ?? sent
      if (progress) await this.#applyProgress(batch, known, progress)
      return
    }
    if (message.type === 'undecryptable')
      return isCopy ? undefined : this.#undecryptable.postpone(batch, message)
    this.#undecryptable.handleRepair(batch, message)
    const late = this.lost.handleArrival(batch, message) || message.late === true
    const groupName = message.isGroup ? this.#getGroups().getName(message.chat.id) : ''
    const about = { instance: this.#instance, owner: this.#state.owner, groupName }
    const here = { batch, store: this.#deps.store, instance: this.#instance }
    const chosen = mayAnswerMenu(message) ? await findMenuAnswer(here, message, toOrigin(message)) : undefined
    this.usernames.addTo(batch, [message.sender, message.chat])
    const author = await this.people.completeSender(message)
    const sender = message.fromMe ? author : await this.usernames.complete(author)
    if (message.isGroup && !message.fromMe) this.people.learnName(message.sender, message.senderName)
    const people = await this.people.describe(message)
    const row = toRow({ ...message, ...chosen, messageid, sender, late }, { ...about, people })
    const opening = await this.changes.open(batch, row, message)
    if (isCopy) batch.replaceCopy(opening.row)
    else batch.addRow(opening.row)
    await this.#scheduleFile(batch, opening.row)
    await this.timers.learnFrom(batch, message)
    await this.changes.report(batch, opening, message.targetAuthor)
    await this.changes.applyEarly(batch, message.messageid)
  }

  async #reportInterrupted(batch: Batch): Promise<void> {
    for (const messageid of await this.#unawaited.reportInterrupted(batch)) {
      const row = await batch.findRow(messageid)
      const isPending = row?.record.status === 'Pending'
      if (isPending) await this.#applyProgress(batch, row, 'Failed', NOT_SENT)
      else this.#unawaited.drop(batch, messageid)
    }
  }

  async #scheduleFile(batch: Batch, row: MessageRow): Promise<void> {
    const { storedMedia } = this.#deps
    if (!storedMedia.isStorable(row)) return
    batch.addStatement(await storedMedia.buildAddition(row))
    batch.holdForFile(row.messageid)
    batch.onCommitted(() => storedMedia.announceAddition())
  }

  async #applyReceipts(batch: Batch, receipts: Receipt[]): Promise<void> {
    const news: Receipt[] = []
    for (const receipt of receipts) {
      const { row, elsewhere } = await findReceiptTarget(batch, receipt)
      if (!receipt.own) {
        if (receipt.progress === 'Read' && row)
          batch.addStatement(markSeen(this.#deps.store, this.#instance, [row.messageid]))
        continue
      }
      // The sender of this receipt never got the message that it names.
      if (!row && elsewhere) continue
      const advanced = row && (await this.#applyProgress(batch, row, receipt.progress))
      // Edits and deletions are reported with the message that they change.
      if (row?.change) continue
      const placed = row ? useMessageForms(row, receipt) : receipt
      // In a group each member's receipt is news; in a chat of two only the first one of a kind.
      if (receipt.isGroup) news.push(await this.people.completeReceipt(placed))
      else if (advanced || !row || receipt.progress === 'Played') news.push(placed)
    }
    batch.addEvents(...createReceiptEvents(news))
  }

  /** Applies `progress` to a stored message if it is news, and reports an own message with it. Returns the changed record. */
  async #applyProgress(batch: Batch, row: MessageRow, progress: Progress, error = '') {
    const status = toStatus(progress)
    const before = row.record
    const failing = status === 'Failed' && before.status === 'Pending'
    if (!failing && statusRanks[status] <= statusRanks[before.status]) return
    const record: MessageRecord = { ...before, status, error }
    batch.changeRow(row, record)
    if (before.status === 'Pending') this.#completePending(batch, row, record)
    if (failing) this.#recordFailure(batch, row, Number(error))
    const firstSent = before.wasSentByApi && statusRanks[before.status] < statusRanks.Sent && !failing
    if (firstSent) await reportMessage(batch, { ...row, record }, this.#getContext())
    return record
  }

  /** A message is not pending any more: its act, its late outcome and its chat follow. */
  #completePending(batch: Batch, row: MessageRow, record: MessageRecord): void {
    const failed = record.status === 'Failed'
    const send = failed ? undefined : this.#waiting.get(row.messageid)
    if (send?.outcomeCommit) batch.addStatement(send.outcomeCommit.buildStatement(record))
    this.#unawaited.reportOutcome(batch, record)
    batch.onCommitted(() => {
      send?.outcomeCommit?.markStored()
      this.#deps.resolveFromRecord(record)
      send?.onProven()
    })
    if (!failed && !row.change && row.chatid !== STATUS_JID)
      batch.addStatement(updateChat(this.#instance, record))
  }

  #recordFailure(batch: Batch, row: MessageRow, provider_code: number): void {
    const kind = limitsByCode[provider_code]
    if (!kind) return
    const limited = createEvent('limits', { event: { kind, active: true, until: 0, provider_code } })
    withCause(batch, row).addEvents(limited)
    this.limits.recordLimit(kind, { active: true, until: 0 })
  }
}
