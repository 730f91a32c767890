// Votes: decrypted with the poll that they name, stored with it, and reported as an update of it.

import type { MessageRecord } from '@msgnet/shared/contract/message-requests.ts'
import type { Driver } from '../driver/driver.ts'
import type { MessageRow } from '../store/message-store.ts'
import type { Batch } from './intake-batch.ts'
import { findTarget, isBySameAuthor, listKnownIds } from './message-lookup.ts'
import { createMessageEvent, createUpdateEvent, type NewEvent } from './message-records.ts'
import { readTargetId } from './sealed-changes.ts'

/** Votes that are stored with the poll, one of each member of a large group; all of them are reported. */
const MAX_VOTES = 1024
/** Bytes of their JSON: each vote writes all of them again. A thousand votes for one option each are less. */
const MAX_VOTES_BYTES = 192 * 1024

interface StoredVote {
  sender: string
  choices: string[]
  at: number
}

/** A person's newest vote replaces the one before. Returns false if its poll is not here. */
export async function applyVote(
  batch: Batch,
  row: MessageRow,
  driver: Pick<Driver, 'decryptVote'>,
  author: string,
): Promise<boolean> {
  const { record, encoded } = row
  const { row: poll } = await findTarget(batch, String(record.content.target ?? ''), record, author)
  if (!poll) return false
  if (poll.record.type !== 'poll') return true
  const chosen =
    poll.encoded &&
    encoded &&
    driver.decryptVote({
      poll: poll.encoded,
      pollid: poll.messageid,
      creators: listKnownIds(poll.record),
      vote: encoded,
      voters: listKnownIds(record),
    })
  if (!chosen) {
    batch.addEvents(createUnreadableVoteEvent(record, poll))
    return true
  }
  const { sender } = record
  const before = (poll.record.content.votes ?? []) as StoredVote[]
  const own = before.filter((one) => isBySameAuthor(one, record))
  // Messages may arrive in any order.
  if (own.some((one) => one.at > record.messageTimestamp)) return true
  const others = before.filter((one) => !own.includes(one))
  const votes = dropOldest([...others, { sender, choices: chosen, at: record.messageTimestamp }])
  const words = chosen.join(', ')
  batch.changeRow(poll, { ...poll.record, vote: words, content: { ...poll.record.content, votes } })
  const cast = { ...record, vote: words }
  batch.changeRow(row, cast)
  const { chatid, chatlid } = poll.record
  const of = { messageid: poll.messageid, chatid, chatlid }
  const change = createUpdateEvent({ type: 'PollVote', state: 'Voted' }, of, record, {
    Type: 'vote',
    vote: chosen,
  })
  batch.addEvents({ ...change, also: createMessageEvent(cast).payload })
  return true
}

/** Says that somebody voted, though not how. It is no withdrawal. */
export function createUnreadableVoteEvent(record: MessageRecord, poll?: MessageRow): NewEvent {
  const { chatid, chatlid } = poll?.record ?? record
  const of = { messageid: poll?.messageid ?? readTargetId(record), chatid, chatlid }
  const details = { Type: 'vote', unreadable: true } as const
  return createUpdateEvent({ type: 'PollVote', state: 'Voted' }, of, record, details)
}

/** Of its JSON, with the names of its fields. */
const estimateBytes = ({ sender, choices }: StoredVote): number =>
  choices.reduce((sum, choice) => sum + Buffer.byteLength(choice) + 3, sender.length + 52)

function dropOldest(votes: StoredVote[]): StoredVote[] {
  let bytes = 0
  const dropped = votes.findLastIndex((vote, place) => {
    bytes += estimateBytes(vote)
    return bytes > MAX_VOTES_BYTES || votes.length - place > MAX_VOTES
  })
  return votes.slice(dropped + 1)
}
