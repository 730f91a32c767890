// The rules of repeats as the constants that every generated client has, each language in its own spelling.

import { repeatRules } from '@msgnet/client/repeat-rules.ts'

export type ConstantValue =
  | { texts: readonly string[] }
  | { statuses: readonly number[] }
  | { count: number }
  | { share: number }
  | { seconds: number }
  | { first: number; longest: number }

interface RepeatConstant {
  name: string
  value: ConstantValue
  says: string
}

const { openOutcome, comeAgain, noAnswer, limits, stream } = repeatRules

export const repeatConstants: RepeatConstant[] = [
  {
    name: 'openOutcomeCodes',
    value: { texts: openOutcome.codes },
    says: 'With a key, these are asked for with the same key until the outcome is known.',
  },
  { name: 'openOutcomePause', value: openOutcome.pause, says: '' },
  {
    name: 'comeAgainStatuses',
    value: { statuses: comeAgain.statuses },
    says: 'With a Retry-After nothing has happened yet: every request is sent again.',
  },
  {
    name: 'noAnswerCodes',
    value: { texts: noAnswer.codes },
    says: 'As after no answer at all, what has a key or only reads is sent again.',
  },
  { name: 'noAnswerPause', value: noAnswer.pause, says: '' },
  {
    name: 'noAnswerMinShare',
    value: { share: noAnswer.minShare },
    says: 'Such a pause is a random part of itself, from this share up.',
  },
  { name: 'attempts', value: { count: limits.attempts }, says: 'The limits of a client that sets none.' },
  { name: 'longestPause', value: { seconds: limits.longestPause }, says: '' },
  { name: 'resolveFor', value: { seconds: limits.resolveFor }, says: '' },
  {
    name: 'streamStatuses',
    value: { statuses: stream.statuses },
    says: 'A stream is opened again after these, and after all from the next one up.',
  },
  { name: 'streamMinStatus', value: { count: stream.minStatus }, says: '' },
  { name: 'streamPause', value: stream.pause, says: '' },
  {
    name: 'streamMaxSilence',
    value: { seconds: stream.maxSilence },
    says: 'Without a byte for so long a stream is broken. A heartbeat comes every 15 seconds.',
  },
]

/** What the constants are, as the first comment of each file says. */
export const repeatsPurpose =
  'When a request is sent again: the same rules in the clients of all languages. A pause doubles from the first to the longest.'

export const toFloat = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value))
