// Answers to events, and choices that are added to polls: stored with the message that they name.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import { truncateText } from '@msgnet/shared/truncation.ts'
import type { Driver } from '../driver/driver.ts'
import type { Batch } from './intake-batch.ts'
import { findTarget, isBySameAuthor } from './message-lookup.ts'

/** Answers that are stored with the event, one of each member of a large group. */
const MAX_ANSWERS = 1024
/** A person's name for it is one of three words. */
const MAX_ANSWER_BYTES = 64

interface StoredAnswer {
  sender: string
  answer: string
  at: number
}

/** A person's newest answer replaces the one before. Returns false if the event is not here. */
export async function applyAnswer(batch: Batch, record: MessageRecord, author: string): Promise<boolean> {
  const { row: event } = await findTarget(batch, String(record.content.target ?? ''), record, author)
  if (!event) return false
  if (event.record.messageType !== 'eventMessage' || event.record.status === 'Deleted') return true
  const before = (event.record.content.answers ?? []) as StoredAnswer[]
  const { sender, messageTimestamp: at } = record
  const own = before.filter((one) => isBySameAuthor(one, record))
  if (own.some((one) => one.at > at)) return true
  const others = before.filter((one) => !own.includes(one))
  const answer = truncateText(record.text, MAX_ANSWER_BYTES)
  const answers = [...others, { sender, answer, at }].slice(-MAX_ANSWERS)
  batch.changeRow(event, { ...event.record, content: { ...event.record.content, answers } })
  return true
}

/** Votes for it have its words from then on. Returns false if the poll is not here. */
export async function applyChoice(
  batch: Batch,
  record: MessageRecord,
  driver: Pick<Driver, 'addChoice'>,
  author: string,
): Promise<boolean> {
  const { row: poll } = await findTarget(batch, String(record.content.target ?? ''), record, author)
  if (!poll) return false
  const encoded = poll.encoded && poll.record.type === 'poll' && driver.addChoice(poll.encoded, record.text)
  if (!encoded) return true
  const choices = [...((poll.record.content.choices ?? []) as string[]), record.text]
  batch.rewriteRow({
    ...poll,
    encoded,
    record: { ...poll.record, content: { ...poll.record.content, choices } },
  })
  return true
}
