// Decrypts votes with the secret of their poll.

import { decryptPollVote, normalizeMessageContent, type proto } from 'baileys'
import { networkId } from '../../../message-names.ts'
import type { SealedVote } from '../../driver.ts'
import { outward } from '../ids.ts'
import { decodeMessage } from './content.ts'
import { digestsIn, pollIn } from './polls.ts'

/** A vote for each of twelve options takes 424. */
const VOTE_BYTES = 1024

export function choicesOf({ poll, pollid, creators, vote, voters }: SealedVote): string[] | undefined {
  const message = decodeMessage(poll)
  const content = normalizeMessageContent(message)
  const made = pollIn(content)
  const secret = (message.messageContextInfo ?? content?.messageContextInfo)?.messageSecret
  const sealed = normalizeMessageContent(decodeMessage(vote))?.pollUpdateMessage?.vote
  if (!made || !secret || !sealed || (sealed.encPayload?.length ?? 0) > VOTE_BYTES) return undefined
  // The key depends on the spelling of both people, which is not sent, so all spellings are tried.
  for (const creator of creators.map(outward)) {
    for (const voter of voters.map(outward)) {
      const under = {
        pollCreatorJid: creator,
        pollMsgId: networkId(pollid),
        pollEncKey: secret,
        voterJid: voter,
      }
      const opened = openedUnder(sealed, under)
      if (opened) return digestsIn(made).flatMap(({ choice, digest }) => (opened.has(digest) ? choice : []))
    }
  }
  return undefined
}

function openedUnder(
  sealed: proto.Message.IPollEncValue,
  under: Parameters<typeof decryptPollVote>[1],
): Set<string> | undefined {
  try {
    const { selectedOptions } = decryptPollVote(sealed, under)
    return new Set((selectedOptions ?? []).map((hash) => Buffer.from(hash).toString('hex')))
  } catch {
    // Wrong spellings, or a forged vote.
    return undefined
  }
}
