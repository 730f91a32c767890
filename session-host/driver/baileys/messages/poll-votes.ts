// Decrypts votes with the secret of their poll.

import { proto } from 'baileys'
import type { SealedVote } from '../../driver.ts'
import { toNetworkId } from '../../message-names.ts'
import { toNetworkJid } from '../ids.ts'
import { decodeMessage } from './message-content.ts'
import { findSecret, openSeal } from './message-seals.ts'
import { unwrap } from './message-wrappers.ts'
import { findPoll, listDigests } from './poll-content.ts'

/** A vote for each of twelve options takes 424. */
const MAX_VOTE_BYTES = 1024

export function decryptVote({ poll, pollid, creators, vote, voters }: SealedVote): string[] | undefined {
  const message = decodeMessage(poll)
  const createdPoll = findPoll(unwrap(message))
  const secret = findSecret(message)
  const { encPayload, encIv } = unwrap(decodeMessage(vote))?.pollUpdateMessage?.vote ?? {}
  if (!createdPoll || !secret || !encPayload || !encIv) return undefined
  const plain = openSeal(
    { label: 'Poll Vote', payload: encPayload, iv: encIv },
    {
      secret,
      targetid: toNetworkId(pollid),
      authors: creators.map(toNetworkJid),
      writers: voters.map(toNetworkJid),
    },
    MAX_VOTE_BYTES,
  )
  const selected = plain && readOptions(plain)
  return (
    selected && listDigests(createdPoll).flatMap(({ choice, digest }) => (selected.has(digest) ? choice : []))
  )
}

function readOptions(plain: Buffer): Set<string> | undefined {
  try {
    const { selectedOptions } = proto.Message.PollVoteMessage.decode(plain)
    return new Set((selectedOptions ?? []).map((hash) => Buffer.from(hash).toString('hex')))
  } catch {
    // The voter encrypted something else.
    return undefined
  }
}
