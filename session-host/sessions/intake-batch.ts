// A batch holds the changed rows of one piece of news, their statements and their events, and commits all of them or none.

import type { LRUCache } from 'lru-cache'
import { formatLoggedIds } from '../../shared/contract/message-ids.ts'
import type { MessageRecord } from '../../shared/contract/message-requests.ts'
import type { Statement } from '../../shared/db/prepared-queries.ts'
import { createGrowingCache } from '../growing-cache.ts'
import { updateChat } from '../store/chat-store.ts'
import {
  addMessage,
  changeContent,
  changeRecord,
  findMessage,
  type MessageRow,
  renameMessage,
} from '../store/message-store.ts'
import { limitRecord, type NewEvent } from './message-records.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

export interface Batch {
  /** The row with the changes of this batch. */
  findRow(messageid: string): Promise<MessageRow | undefined>
  addRow(row: MessageRow): void
  /** Replaces the record of an existing row. */
  changeRow(row: MessageRow, record: MessageRecord): void
  /** Replaces the record and the content of an existing row. */
  rewriteRow(row: MessageRow): void
  /** Stores the row under another name from now on. */
  renameRow(row: MessageRow, messageid: string): void
  addStatement(statement: Statement): void
  addEvents(...events: NewEvent[]): void
  /** Runs `work` once the batch is on disk. */
  onCommitted(work: () => void): void
  commit(): Promise<void>
  /** For a batch without events: its rows are on disk before the session sends anything more to the network. */
  defer(): Promise<void>
}

/** The last committed rows of own messages, cached because their acknowledgement and receipts follow within moments. */
export type RecentRows = LRUCache<string, MessageRow>

/** Rows per session. */
const MAX_RECENT = 16

export const createRecentRows = (): RecentRows => createGrowingCache(MAX_RECENT)

function cacheRow(recent: RecentRows, messageid: string, row: MessageRow | undefined): void {
  if (row?.fromMe) recent.set(messageid, row)
  else recent.delete(messageid)
}

export function createBatch(
  { store, outbox, metrics, log }: SessionDeps,
  { row, owner }: StoredState,
  recent: RecentRows = createRecentRows(),
): Batch {
  const { instance, epoch } = row
  const rows = new Map<string, MessageRow | undefined>()
  const statements: Statement[] = []
  const events: NewEvent[] = []
  const callbacks: (() => void)[] = []

  const cacheRows = () => {
    for (const [messageid, row] of rows) cacheRow(recent, messageid, row)
  }
  /** A failed commit may have taken effect all the same, so the rows are read again. */
  const dropCachedRows = () => {
    for (const messageid of rows.keys()) recent.delete(messageid)
  }

  return {
    findRow: async (messageid) =>
      rows.has(messageid)
        ? rows.get(messageid)
        : (recent.get(messageid) ?? (await findMessage(store, instance, messageid))),
    addRow(added) {
      rows.set(added.messageid, added)
      statements.push(addMessage(added))
      // A pending message may still fail, so its chat is written when it is sent.
      if (!added.change && added.record.status !== 'Pending')
        statements.push(updateChat(instance, added.record))
    },
    changeRow(changed, whole) {
      const record = limitRecord(whole)
      rows.set(changed.messageid, { ...changed, record })
      statements.push(changeRecord(instance, record))
    },
    rewriteRow(rewritten) {
      const row = { ...rewritten, record: limitRecord(rewritten.record) }
      rows.set(row.messageid, row)
      statements.push(changeContent(store, row))
    },
    renameRow(row, messageid) {
      rows.set(row.messageid, undefined)
      rows.set(messageid, { ...row, messageid })
      statements.push(renameMessage(instance, row.messageid, messageid))
    },
    addStatement: (statement) => void statements.push(statement),
    addEvents: (...news) => void events.push(...news),
    onCommitted: (work) => void callbacks.push(work),
    async commit() {
      const about = { t: 'event', instance, epoch, owner } as const
      const reports = events.map((one) => ({ ...about, id: crypto.randomUUID(), at: Date.now(), ...one }))
      try {
        await outbox.commit(instance, statements, reports)
        cacheRows()
      } catch (error) {
        dropCachedRows()
        throw error
      }
      for (const { id, type, payload } of reports) {
        metrics.reports.inc({ type })
        log.info({ instance, event: id, type, ...formatLoggedIds(type, payload) }, 'event')
      }
      for (const work of callbacks) work()
    },
    async defer() {
      const { written } = await store.deferWrite(instance, statements)
      cacheRows()
      written.catch(dropCachedRows)
    },
  }
}
