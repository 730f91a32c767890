// Decrypts votes with the secret of their poll.

import { decryptPollVote, normalizeMessageContent, type proto } from 'baileys'
import { toNetworkId } from '../../../message-names.ts'
import type { SealedVote } from '../../driver.ts'
import { toNetworkJid } from '../ids.ts'
import { decodeMessage } from './message-content.ts'
import { findPoll, listDigests } from './poll-content.ts'

/** A vote for each of twelve options takes 424. */
const MAX_VOTE_BYTES = 1024

export function decryptVote({ poll, pollid, creators, vote, voters }: SealedVote): string[] | undefined {
  const message = decodeMessage(poll)
  const content = normalizeMessageContent(message)
  const createdPoll = findPoll(content)
  const secret = (message.messageContextInfo ?? content?.messageContextInfo)?.messageSecret
  const sealed = normalizeMessageContent(decodeMessage(vote))?.pollUpdateMessage?.vote
  if (!createdPoll || !secret || !sealed || (sealed.encPayload?.length ?? 0) > MAX_VOTE_BYTES)
    return undefined
  // The key depends on both people's ids, which are not sent, so all known ids are tried.
  for (const creator of creators.map(toNetworkJid)) {
    for (const voter of voters.map(toNetworkJid)) {
      const voteIds = {
        pollCreatorJid: creator,
        pollMsgId: toNetworkId(pollid),
        pollEncKey: secret,
        voterJid: voter,
      }
      const selected = tryDecrypt(sealed, voteIds)
      if (selected)
        return listDigests(createdPoll).flatMap(({ choice, digest }) => (selected.has(digest) ? choice : []))
    }
  }
  return undefined
}

function tryDecrypt(
  sealed: proto.Message.IPollEncValue,
  voteIds: Parameters<typeof decryptPollVote>[1],
): Set<string> | undefined {
  try {
    const { selectedOptions } = decryptPollVote(sealed, voteIds)
    return new Set((selectedOptions ?? []).map((hash) => Buffer.from(hash).toString('hex')))
  } catch {
    // Wrong ids, or a forged vote.
    return undefined
  }
}
