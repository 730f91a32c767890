// Reads polls, which the network has in several versions, as far as phones can make them.

import { createHash } from 'node:crypto'
import { normalizeMessageContent, type proto } from 'baileys'
import { boundedText } from '../../../../shared/bounds.ts'

/** Phones make no more options, and no longer ones. */
const OPTIONS = 12
/** In characters. */
const OPTION_LENGTH = 100
const QUESTION_BYTES = 4096
const SHA256 = /^[0-9a-f]{64}$/

type Poll = proto.Message.IPollCreationMessage
type Option = proto.Message.PollCreationMessage.IOption

export const pollIn = (content: proto.IMessage | null | undefined): Poll | undefined =>
  content?.pollCreationMessage ??
  content?.pollCreationMessageV2 ??
  content?.pollCreationMessageV3 ??
  undefined

export const choicesIn = (poll: Poll): string[] => listOptions(poll).map(nameOption)

/** Each choice with its digest, by which a vote names it. Our own polls, and those of earlier versions, are stored without. */
export const digestsIn = (poll: Poll): { choice: string; digest: string }[] =>
  listOptions(poll).map((option) => ({
    choice: nameOption(option),
    digest: SHA256.test(option.optionHash ?? '') ? String(option.optionHash) : digestName(option),
  }))

/** Whether some of it is not kept. */
export const isCutPoll = (poll: Poll): boolean =>
  questionIn(poll) !== (poll.name ?? '') ||
  (poll.options ?? []).length > OPTIONS ||
  listOptions(poll).some((option) => nameOption(option) !== (option.optionName ?? ''))

export const questionIn = ({ name }: Poll): string => boundedText(name ?? '', QUESTION_BYTES)

/** Brings a poll into its stored form: cut, and with the digests of the whole names, which are made here once for all votes. */
export function shortenPoll(message: proto.IMessage | null | undefined): void {
  changePoll(message, (poll) => {
    poll.name = questionIn(poll)
    poll.options = listOptions(poll).map((option) => ({
      optionName: nameOption(option),
      optionHash: digestName(option),
    }))
  })
}

/** The message with its poll as phones send it: digests are ours. */
export function withoutDigests(message: proto.IMessage): proto.IMessage {
  changePoll(message, (poll) => {
    poll.options = poll.options?.map(({ optionName = '' }) => ({ optionName })) ?? []
  })
  return message
}

function changePoll(message: proto.IMessage | null | undefined, change: (poll: Poll) => void): void {
  const poll = pollIn(normalizeMessageContent(message ?? undefined))
  if (poll) change(poll)
}

const listOptions = ({ options }: Poll): Option[] => (options ?? []).slice(0, OPTIONS)

/** Cut at a character: each has two units at most. */
function nameOption({ optionName }: Option): string {
  const name = optionName ?? ''
  if (name.length <= OPTION_LENGTH) return name
  return [...name.slice(0, 2 * OPTION_LENGTH)].slice(0, OPTION_LENGTH).join('')
}

const digestName = ({ optionName }: Option): string =>
  createHash('sha256')
    .update(optionName ?? '')
    .digest('hex')
