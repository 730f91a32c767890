// Polls in their versions, votes, results, and choices that people add.

import type { proto } from 'baileys'
import { truncateId } from '../../../message-names.ts'
import { MESSAGE_LIMITS } from '../bounded-reader.ts'
import { findNewerField, readParts } from '../newer-fields.ts'
import { cutOptionName, findPoll, getQuestion, isCutPoll, listChoices } from '../poll-content.ts'
import { dropEmpty, type KindTable, type Reading, toNumber } from './kind-reading.ts'

/** Phones make no more choices. */
const MAX_RESULTS = 12
const QUIZ = 1
/** Fields of a poll that are newer than the library's types. */
const [END_TIME, HIDES_VOTERS, TAKES_CHOICES] = [9, 10, 11]

export function readPoll(content: proto.IMessage): Reading | undefined {
  const poll = findPoll(content)
  if (!poll) return undefined
  const isQuiz = Number(poll.pollType) === QUIZ
  const rightAnswer = cutOptionName(poll.correctAnswer?.optionName ?? '')
  const newer = findNewerField(content)
  return {
    ...(newer && { messageType: newer.name }),
    type: 'poll',
    text: getQuestion(poll),
    content: {
      choices: listChoices(poll),
      selectableCount: poll.selectableOptionsCount ?? 0,
      ...(isQuiz && { quiz: true }),
      ...(rightAnswer && { rightAnswer }),
      ...(newer && readNewerFields(newer.bytes)),
    },
    truncated: isCutPoll(poll),
  }
}

function readNewerFields(bytes: Uint8Array): Record<string, unknown> {
  // Its options are among them: the poll was decoded within the same limits.
  const parts = readParts(bytes, MESSAGE_LIMITS)
  return dropEmpty({
    endTime: parts.getNumber(END_TIME) * 1000,
    hidesVoters: parts.getNumber(HIDES_VOTERS) === 1,
    takesChoices: parts.getNumber(TAKES_CHOICES) === 1,
  })
}

function readResults({ pollResultSnapshotMessage, pollResultSnapshotMessageV3 }: proto.IMessage): Reading {
  const { name, pollVotes, pollType } = pollResultSnapshotMessage ?? pollResultSnapshotMessageV3 ?? {}
  const votes = pollVotes ?? []
  return {
    type: 'other',
    text: getQuestion({ name: name ?? '' }),
    content: {
      results: votes.slice(0, MAX_RESULTS).map(({ optionName, optionVoteCount }) => ({
        choice: cutOptionName(optionName ?? ''),
        votes: toNumber(optionVoteCount),
      })),
      ...(Number(pollType) === QUIZ && { quiz: true }),
    },
    truncated: votes.length > MAX_RESULTS,
  }
}

export const pollKinds = {
  pollCreationMessage: readPoll,
  pollCreationMessageV2: readPoll,
  pollCreationMessageV3: readPoll,
  pollCreationMessageV5: readPoll,
  pollUpdateMessage: ({ pollUpdateMessage }) => ({
    type: 'vote',
    target: truncateId(pollUpdateMessage?.pollCreationMessageKey?.id ?? ''),
  }),
  pollResultSnapshotMessage: readResults,
  pollResultSnapshotMessageV3: readResults,
} satisfies KindTable
