// The messages of an instance that are sent at a time: added, listed, cancelled, and ended without being sent.

import { limits } from '@msgnet/shared/contract/limits.ts'
import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { truncateToLimits } from '@msgnet/shared/truncation.ts'
import { MAX_RESULT_CHARACTERS } from '@msgnet/shared/wire/session-actions.ts'
import type { ScheduledFiles } from '../scheduled/scheduled-files.ts'
import type { ScheduledQueue } from '../scheduled/scheduled-queue.ts'
import type { ChatChoice } from '../store/match-choice.ts'
import { addMessage } from '../store/message-store.ts'
import {
  addScheduled,
  countScheduled,
  countScheduledIn,
  deleteScheduled,
  findFirstScheduled,
  findScheduled,
  listScheduledRecords,
  type NewScheduledRow,
  type ScheduledRow,
} from '../store/scheduled-store.ts'
import type { Intake } from './intake.ts'
import { withCause } from './message-changes.ts'
import { createOutcomeEvent, createRow } from './message-records.ts'
import type { OutcomeCommit } from './outcome-commit.ts'

/** Of all files of an instance that wait. */
export const MAX_FILE_BYTES = 1024 ** 3

/** Before every message. */
const START = { dueAt: 0, n: 0 }

export type Addition = 'added' | 'too many' | 'files too large'

export class Schedule {
  readonly #queue: ScheduledQueue
  readonly #instance: string
  readonly #intake: Intake

  constructor(queue: ScheduledQueue, instance: string, intake: Intake) {
    this.#queue = queue
    this.#instance = instance
    this.#intake = intake
  }

  get files(): ScheduledFiles {
    return this.#queue.files
  }

  /** In one write with the outcome of the act that asked for it. */
  async add(row: NewScheduledRow, outcomeCommit: OutcomeCommit | undefined): Promise<Addition> {
    const { store } = this.#queue
    const addition = await this.#intake.runInBatch(async (batch): Promise<Addition> => {
      // Counted in turn with the other additions of the instance.
      const { waiting, bytes } = await countScheduled(store, this.#instance)
      if (waiting >= limits.maxScheduled) return 'too many'
      if (bytes + (row.fileBytes ?? 0) > MAX_FILE_BYTES) return 'files too large'
      batch.addStatement(addScheduled(store, row))
      if (outcomeCommit) batch.addStatement(outcomeCommit.buildStatement(row.record))
      return 'added'
    })
    if (addition === 'added') {
      outcomeCommit?.markStored()
      this.#queue.announceChange()
    }
    return addition
  }

  /** `begun`: it is being sent, or was sent. */
  async cancel(messageid: string): Promise<'cancelled' | 'begun' | 'unknown'> {
    const name = { instance: this.#instance, messageid }
    if (!this.#queue.take(name)) return 'begun'
    try {
      if (await findScheduled(this.#queue.store, this.#instance, messageid)) {
        await this.#intake.runInBatch(async (batch) => {
          for (const one of deleteScheduled(this.#instance, messageid)) batch.addStatement(one)
        })
        return 'cancelled'
      }
      const message = await this.#intake.findMessage(messageid)
      return message?.record.scheduledFor === undefined ? 'unknown' : 'begun'
    } finally {
      this.#queue.release(name)
    }
  }

  /** Undefined if the message after which the page begins is not known. */
  findRow(messageid: string): Promise<ScheduledRow | undefined> {
    return findScheduled(this.#queue.store, this.#instance, messageid)
  }

  /** `choice`: only of these chats. */
  async listPage({ limit, afterId }: { limit: number; afterId?: string | undefined }, choice?: ChatChoice) {
    const { store } = this.#queue
    const after = afterId === undefined ? START : await this.#findPlace(afterId)
    if (!after) return undefined
    const total = choice
      ? await countScheduledIn(store, this.#instance, choice)
      : (await countScheduled(store, this.#instance)).waiting
    const found = await listScheduledRecords(store, this.#instance, after, limit + 1, choice)
    const scheduled: MessageRecord[] = []
    let characters = 0
    for (const record of found.slice(0, limit)) {
      const { value } = truncateToLimits(record)
      characters += JSON.stringify(value).length
      if (scheduled.length > 0 && characters > MAX_RESULT_CHARACTERS) break
      scheduled.push(value)
    }
    return { scheduled, total, hasMore: scheduled.length < found.length }
  }

  /** Ends it without sending it: the message is stored as failed, and reported. */
  async endRow(row: ScheduledRow, error: string): Promise<void> {
    const { instance, messageid, requestId, traceparent } = row
    const record: MessageRecord = { ...row.record, status: 'Failed', error, messageTimestamp: Date.now() }
    await this.#intake.runInBatch(async (batch) => {
      for (const one of deleteScheduled(instance, messageid)) batch.addStatement(one)
      const message = createRow(record, instance, new Uint8Array())
      const failed = { ...message, encoded: null, requestId, traceparent }
      // Not as a new message: its chat has none of it.
      batch.addStatement(addMessage(failed))
      withCause(batch, failed).addEvents(createOutcomeEvent(record))
    })
  }

  /** For an instance that leaves this store. */
  async endAll(error: string): Promise<void> {
    // One that was just leaving has no row any more.
    await this.#queue.store.writeDeferred(this.#instance)
    for (;;) {
      const row = await findFirstScheduled(this.#queue.store, this.#instance)
      if (!row) return
      await this.endRow(row, error)
    }
  }

  async #findPlace(messageid: string) {
    const row = await findScheduled(this.#queue.store, this.#instance, messageid)
    if (row) return row
    // It was sent meanwhile, and everything before it too.
    const message = await this.#intake.findMessage(messageid)
    const dueAt = message && Date.parse(message.record.scheduledFor ?? '')
    return dueAt ? { dueAt, n: 0 } : undefined
  }
}
