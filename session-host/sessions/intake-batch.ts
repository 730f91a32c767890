// A batch holds the changed rows of one piece of news, their statements and their events, and commits all of them or none.

import { formatLoggedIds } from '@msgnet/shared/contract/message-ids.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { STATUS_JID } from '@msgnet/shared/jid.ts'
import type { Cause } from '@msgnet/shared/trace-context.ts'
import type { EventReport } from '@msgnet/shared/wire/host-reports.ts'
import type { LRUCache } from 'lru-cache'
import { createGrowingCache } from '../process/growing-cache.ts'
import { updateChat } from '../store/chat-store.ts'
import type { Hold } from '../store/held-report-store.ts'
import { addPastMessage } from '../store/history-store.ts'
import {
  addMessage,
  changeContent,
  changeExpiry,
  changeRecord,
  findMessage,
  type MessageRow,
  renameMessage,
} from '../store/message-store.ts'
import { limitRecord, type NewEvent } from './message-records.ts'
import type { SessionDeps } from './session-deps.ts'

/** The last committed rows of own messages, cached because their acknowledgement and receipts follow within moments. */
export type RecentRows = LRUCache<string, MessageRow>

/** Rows per session. */
const MAX_RECENT = 16

export const createRecentRows = (): RecentRows => createGrowingCache(MAX_RECENT)

interface Content {
  rows: Map<string, MessageRow | undefined>
  statements: Statement[]
  events: NewEvent[]
  /** Called once the batch is on disk. */
  callbacks: (() => void)[]
  /** The new messages whose reports wait for their file. */
  filesOf: Set<string>
}

type NewEventReport = Omit<EventReport, 'n'>

/** The part of the held reports that a commit uses. An interface, because they import this file. */
interface HeldPart {
  listHolds(reports: NewEventReport[], filesOf: ReadonlySet<string>): Map<NewEventReport, Hold> | undefined
  recheckLater(): void
}

export type BatchDeps = Pick<SessionDeps, 'store' | 'outbox' | 'metrics' | 'log'> & {
  /** Undefined if no report waits for a file. */
  held?: HeldPart | undefined
}

export class Batch {
  readonly #deps: BatchDeps
  /** As they were when the batch began. */
  readonly #about: Pick<EventReport, 't' | 'instance' | 'epoch' | 'owner'>
  readonly #recent: RecentRows
  readonly #content: Content
  readonly #cause: Cause | undefined

  constructor(
    deps: BatchDeps,
    about: { instance: string; epoch: number; owner: string },
    recent: RecentRows,
    content: Content = { rows: new Map(), statements: [], events: [], callbacks: [], filesOf: new Set() },
    cause?: Cause,
  ) {
    this.#deps = deps
    this.#about = { t: 'event', ...about }
    this.#recent = recent
    this.#content = content
    this.#cause = cause
  }

  /** The same batch; the events that are added to the returned one name their cause. */
  withCause(cause: Cause): Batch {
    return new Batch(this.#deps, this.#about, this.#recent, this.#content, cause)
  }

  /** The same batch; the events that are added to the returned one are not reported. */
  withoutEvents(): Batch {
    return new Batch(this.#deps, this.#about, this.#recent, { ...this.#content, events: [] }, this.#cause)
  }

  /** The row with the changes of this batch. */
  async findRow(messageid: string): Promise<MessageRow | undefined> {
    const { rows } = this.#content
    if (rows.has(messageid)) return rows.get(messageid)
    return (
      this.#recent.get(messageid) ?? (await findMessage(this.#deps.store, this.#about.instance, messageid))
    )
  }

  addRow(row: MessageRow): void {
    this.#content.rows.set(row.messageid, row)
    this.addStatement(addMessage(row))
    // A pending message may still fail, so its chat is written when it is sent. Status posts are in no list of chats.
    if (!row.change && row.record.status !== 'Pending' && row.chatid !== STATUS_JID)
      this.addStatement(updateChat(row.instance, row.record))
  }

  /** Of the history. `json`: its record. */
  addPastRow(row: MessageRow, json: string): void {
    this.#content.rows.set(row.messageid, row)
    this.addStatement(addPastMessage(row, json))
  }

  /** Replaces the record of an existing row. */
  changeRow(row: MessageRow, whole: MessageRecord): void {
    const record = limitRecord(whole)
    this.#content.rows.set(row.messageid, { ...row, record })
    this.addStatement(changeRecord(row.instance, record))
  }

  /** Replaces the record and the content of an existing row. */
  rewriteRow(whole: MessageRow): void {
    const row = { ...whole, record: limitRecord(whole.record) }
    this.#content.rows.set(row.messageid, row)
    this.addStatement(changeContent(this.#deps.store, row))
  }

  changeExpiry(row: MessageRow): void {
    this.addStatement(changeExpiry(this.#deps.store, row))
  }

  /** Replaces a message of the history by the same one, which came by itself. */
  replaceCopy(row: MessageRow): void {
    this.rewriteRow(row)
    this.addStatement(updateChat(row.instance, row.record))
  }

  /** Stores the row under another name from now on. */
  renameRow(row: MessageRow, messageid: string): void {
    this.#content.rows.set(row.messageid, undefined)
    this.#content.rows.set(messageid, { ...row, messageid })
    this.addStatement(renameMessage(row.instance, row.messageid, messageid))
  }

  addStatement(statement: Statement): void {
    this.#content.statements.push(statement)
  }

  addEvents(...events: NewEvent[]): void {
    const cause = this.#cause
    this.#content.events.push(...(cause ? events.map((one) => ({ ...one, cause })) : events))
  }

  /** The report of this new message waits for its file. */
  holdForFile(messageid: string): void {
    this.#content.filesOf.add(messageid)
  }

  /** Runs `work` once the batch is on disk. */
  onCommitted(work: () => void): void {
    this.#content.callbacks.push(work)
  }

  async commit(): Promise<void> {
    const { outbox, metrics, log, held } = this.#deps
    const { instance } = this.#about
    const { statements, events, callbacks, filesOf } = this.#content
    const reports = events.map((one) => ({
      ...this.#about,
      id: crypto.randomUUID(),
      at: Date.now(),
      ...one,
    }))
    try {
      await outbox.commit(instance, statements, reports, held?.listHolds(reports, filesOf))
      this.#cacheRows()
    } catch (error) {
      this.#dropCachedRows()
      held?.recheckLater()
      throw error
    }
    for (const { id, type, payload } of reports) {
      metrics.reports.inc({ type })
      log.info({ instance, event: id, type, ...formatLoggedIds(type, payload) }, 'event')
    }
    for (const work of callbacks) work()
  }

  /** For a batch without events: its rows are on disk before the session sends anything more to the network. */
  async defer(): Promise<void> {
    const { written } = await this.#deps.store.deferWrite(this.#about.instance, this.#content.statements)
    this.#cacheRowsUnless(written)
  }

  /** The same at once, for a frame that leaves now. Resolves when it is on disk. */
  writeBeforeFrame(): Promise<void> {
    const { written } = this.#deps.store.writeBeforeFrame(this.#about.instance, this.#content.statements)
    this.#cacheRowsUnless(written)
    return written
  }

  /** The rows are dropped again if they cannot be written. */
  #cacheRowsUnless(written: Promise<void>): void {
    this.#cacheRows()
    written.catch(() => this.#dropCachedRows())
  }

  #cacheRows(): void {
    for (const [messageid, row] of this.#content.rows) {
      // Of the history no acknowledgement follows.
      if (row?.fromMe && row.record.source !== 'history') this.#recent.set(messageid, row)
      else this.#recent.delete(messageid)
    }
  }

  /** A failed commit may have taken effect all the same, so the rows are read again. */
  #dropCachedRows(): void {
    for (const messageid of this.#content.rows.keys()) this.#recent.delete(messageid)
  }
}
