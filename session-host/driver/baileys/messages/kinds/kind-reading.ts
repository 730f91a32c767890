// The readers of kinds of messages: their form, and what several of them need.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { truncateText } from '@msgnet/shared/truncation.ts'
import type { proto } from 'baileys'
import type { MessageContent } from '../../../driver.ts'
import { truncateId } from '../../../message-names.ts'
import { toGatewayJid } from '../../ids.ts'

/** What a message of one kind says; what is left out is empty. */
export type Reading = Partial<Omit<MessageContent, 'type'>> & Pick<MessageContent, 'type'>

/** Reads a message that is inside of another one. */
export type ReadInner = (message: proto.IMessage | null | undefined) => MessageContent | undefined

/** Undefined where the message says nothing that is known: it is then reported as unsupported. `protocol`: nothing that people see. */
export type KindReader = (content: proto.IMessage, readInner: ReadInner) => Reading | 'protocol' | undefined

/** `protocol`: clients tell each other something that people do not see. `wrapper`: it holds the message. */
export type Kind = KindReader | 'protocol' | 'wrapper'
export type KindTable = Partial<Record<keyof proto.IMessage, Kind>>

type Text = string | null | undefined
type Whole = number | { toNumber(): number } | null | undefined

/** Of a name, a title or a caption that goes into `content`. */
const MAX_WORDS_BYTES = 4096

export const limitWords = (text: Text, maxBytes = MAX_WORDS_BYTES): string =>
  truncateText(text ?? '', maxBytes)

export const toNumber = (value: Whole): number => Number(value ?? 0)

/** Of a number that its sender chose, 0 where JSON has none for it. */
export const toFinite = (value: number | null | undefined): number =>
  Number.isFinite(value) ? Number(value) : 0

/** Seconds of the network as milliseconds; 0 where it does not say. */
export const fromSeconds = (seconds: Whole): number => toNumber(seconds) * SECOND

/** Without the fields that are empty. */
export const dropEmpty = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).filter(
      ([, value]) => value !== '' && value !== 0 && value !== false && value !== undefined && value !== null,
    ),
  )

/** The message that a key names, as a record has it. */
export function readTarget(key: proto.IMessageKey | null | undefined): {
  target: string
  content: Record<string, unknown>
} {
  const target = truncateId(key?.id ?? '')
  return { target, content: target ? { target } : {} }
}

export const readPerson = (jid: Text): string => toGatewayJid(jid)

/** In units of the currency. */
export function readMoney(money: proto.IMoney | null | undefined): Record<string, unknown> {
  const { value, offset, currencyCode } = money ?? {}
  return dropEmpty({ amount: toNumber(value) / (offset || 1), currency: limitWords(currencyCode) })
}
