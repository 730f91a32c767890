// A batch holds the changed rows of one piece of news, their statements and their events, and commits all of them or none.

import type { LRUCache } from 'lru-cache'
import type { MessageRecord } from '../../shared/contract/message.ts'
import { toLoggedIds } from '../../shared/contract/message-ids.ts'
import type { Statement } from '../../shared/db/statements.ts'
import { makeGrowingCache } from '../growing-cache.ts'
import { touchChat } from '../store/chats.ts'
import {
  addMessage,
  changeContent,
  changeRecord,
  findMessage,
  type MessageRow,
  renameMessage,
} from '../store/messages.ts'
import type { SessionDeps } from './deps.ts'
import type { KeptState } from './kept-state.ts'
import { boundedRecord, type EventOf } from './reporting.ts'

export interface Batch {
  /** The row with the changes of this batch. */
  find(messageid: string): Promise<MessageRow | undefined>
  add(row: MessageRow): void
  /** Replaces the record of an existing row. */
  change(row: MessageRow, record: MessageRecord): void
  /** Replaces the record and the content of an existing row. */
  rewrite(row: MessageRow): void
  /** Stores the row under another name from now on. */
  rename(row: MessageRow, messageid: string): void
  run(statement: Statement): void
  report(...events: EventOf[]): void
  /** Runs `work` once the batch is on disk. */
  afterwards(work: () => void): void
  commit(): Promise<void>
  /** For a batch without events: its rows are on disk before the session sends anything more to the network. */
  defer(): Promise<void>
}

/** The last committed rows of own messages, cached because their acknowledgement and receipts follow within moments. */
export type RecentRows = LRUCache<string, MessageRow>

/** Rows per session. */
const RECENT = 16

export const makeRecentRows = (): RecentRows => makeGrowingCache(RECENT)

function remember(recent: RecentRows, messageid: string, row: MessageRow | undefined): void {
  if (row?.fromMe) recent.set(messageid, row)
  else recent.delete(messageid)
}

export function makeBatch(
  { store, outbox, metrics, log }: SessionDeps,
  { row, owner }: KeptState,
  recent: RecentRows = makeRecentRows(),
): Batch {
  const { instance, epoch } = row
  const rows = new Map<string, MessageRow | undefined>()
  const statements: Statement[] = []
  const events: EventOf[] = []
  const afterwards: (() => void)[] = []

  const keep = () => {
    for (const [messageid, row] of rows) remember(recent, messageid, row)
  }
  /** A failed commit may have taken effect all the same, so the rows are read again. */
  const forget = () => {
    for (const messageid of rows.keys()) recent.delete(messageid)
  }

  return {
    find: async (messageid) =>
      rows.has(messageid)
        ? rows.get(messageid)
        : (recent.get(messageid) ?? (await findMessage(store, instance, messageid))),
    add(added) {
      rows.set(added.messageid, added)
      statements.push(addMessage(added))
      // A pending message may still fail, so its chat is written when it is sent.
      if (!added.change && added.record.status !== 'Pending')
        statements.push(touchChat(instance, added.record))
    },
    change(changed, whole) {
      const record = boundedRecord(whole)
      rows.set(changed.messageid, { ...changed, record })
      statements.push(changeRecord(instance, record))
    },
    rewrite(rewritten) {
      const row = { ...rewritten, record: boundedRecord(rewritten.record) }
      rows.set(row.messageid, row)
      statements.push(changeContent(store, row))
    },
    rename(row, messageid) {
      rows.set(row.messageid, undefined)
      rows.set(messageid, { ...row, messageid })
      statements.push(renameMessage(instance, row.messageid, messageid))
    },
    run: (statement) => void statements.push(statement),
    report: (...news) => void events.push(...news),
    afterwards: (work) => void afterwards.push(work),
    async commit() {
      const about = { t: 'event', instance, epoch, owner } as const
      const reports = events.map((one) => ({ ...about, id: crypto.randomUUID(), at: Date.now(), ...one }))
      try {
        await outbox.commit(instance, statements, reports)
        keep()
      } catch (thrown) {
        forget()
        throw thrown
      }
      for (const { id, type, payload } of reports) {
        metrics.reports.inc({ type })
        log.info({ instance, event: id, type, ...toLoggedIds(type, payload) }, 'event')
      }
      for (const work of afterwards) work()
    },
    async defer() {
      const { written } = await store.defer(instance, statements)
      keep()
      written.catch(forget)
    },
  }
}
