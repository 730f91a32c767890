// Reads polls, which the network has in several versions, as far as phones can make them.

import { createHash } from 'node:crypto'
import { truncateText } from '@msgnet/shared/truncation.ts'
import type { proto } from 'baileys'
import { unwrap } from './message-wrappers.ts'

/** Phones make no more options, and no longer ones. */
const MAX_OPTIONS = 12
/** In characters. */
const MAX_OPTION_LENGTH = 100
const MAX_QUESTION_BYTES = 4096
const SHA256 = /^[0-9a-f]{64}$/

type Poll = proto.Message.IPollCreationMessage
type Option = proto.Message.PollCreationMessage.IOption

export const findPoll = (content: proto.IMessage | null | undefined): Poll | undefined =>
  content?.pollCreationMessage ??
  content?.pollCreationMessageV2 ??
  content?.pollCreationMessageV3 ??
  content?.pollCreationMessageV5 ??
  undefined

export const listChoices = (poll: Poll): string[] => listOptions(poll).map(getOptionName)

/** Each choice with its digest, by which a vote names it. Our own polls are stored without. */
export const listDigests = (poll: Poll): { choice: string; digest: string }[] =>
  listOptions(poll).map((option) => ({
    choice: getOptionName(option),
    digest: SHA256.test(option.optionHash ?? '') ? String(option.optionHash) : hashOptionName(option),
  }))

/** Whether some of it is cut. */
export const isCutPoll = (poll: Poll): boolean =>
  getQuestion(poll) !== (poll.name ?? '') ||
  (poll.options ?? []).length > MAX_OPTIONS ||
  listOptions(poll).some((option) => getOptionName(option) !== (option.optionName ?? ''))

export const getQuestion = ({ name }: Poll): string => truncateText(name ?? '', MAX_QUESTION_BYTES)

/** Brings a poll into its stored form: cut, and with the digests of the whole names, which are made here once for all votes. */
export function shortenPoll(message: proto.IMessage | null | undefined): void {
  changePoll(message, (poll) => {
    poll.name = getQuestion(poll)
    poll.options = listOptions(poll).map((option) => ({
      optionName: getOptionName(option),
      optionHash: hashOptionName(option),
    }))
  })
}

/** The message with its poll as phones send it: digests are ours. */
export function removeDigests(message: proto.IMessage): proto.IMessage {
  changePoll(message, (poll) => {
    poll.options = poll.options?.map(({ optionName = '' }) => ({ optionName })) ?? []
  })
  return message
}

/** False if it is no poll, has this option, or has as many as a poll can have. */
export function appendOption(message: proto.IMessage, optionName: string): boolean {
  const poll = findPoll(unwrap(message))
  const options = poll?.options ?? []
  const exists = options.some((option) => getOptionName(option) === optionName)
  if (!poll || exists || options.length >= MAX_OPTIONS) return false
  poll.options = [...options, { optionName }]
  return true
}

function changePoll(message: proto.IMessage | null | undefined, change: (poll: Poll) => void): void {
  const poll = findPoll(unwrap(message))
  if (poll) change(poll)
}

const listOptions = ({ options }: Poll): Option[] => (options ?? []).slice(0, MAX_OPTIONS)

const getOptionName = ({ optionName }: Option): string => cutOptionName(optionName ?? '')

/** Cut at a character: each has two units at most. */
export function cutOptionName(name: string): string {
  if (name.length <= MAX_OPTION_LENGTH) return name
  return [...name.slice(0, 2 * MAX_OPTION_LENGTH)].slice(0, MAX_OPTION_LENGTH).join('')
}

const hashOptionName = ({ optionName }: Option): string =>
  createHash('sha256')
    .update(optionName ?? '')
    .digest('hex')
