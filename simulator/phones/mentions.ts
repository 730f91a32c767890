// Mentions in messages of phones, and whether a message notifies a phone: only the id by which the group addresses it does.
import type { proto } from '../codec/protobuf.ts'
import { formatAddress } from '../network/address.ts'
import { type ChatTarget, isSharedChat } from '../network/message-chats.ts'
import type { Account } from '../store/account-table.ts'
import type { AddressForm } from '../store/message-table.ts'

export interface Mentions {
  people: Account[]
  /** All members of the group. */
  all: boolean
}

/** In the words each person is the digits of the same id as in the list. */
export const writeMentions = (text: string, form: AddressForm, { people }: Mentions): string =>
  people.reduce(
    (words, { number, lid }) => words.replaceAll(`@${number}`, `@${form === 'lid' ? lid : number}`),
    text,
  )

export const buildMentions = (form: AddressForm, { people, all }: Mentions): proto.IContextInfo => ({
  ...(people.length > 0 && { mentionedJid: people.map((one) => formatAddress(one, form)) }),
  ...(all && { nonJidMentions: 1 }),
})

/** Addresses of the mentioned people; `mentioned`: the phone notifies its owner, even of a muted group. */
export type DescribedMentions = { mentions?: string[]; mentionsAll?: true; mentioned?: true }

export function describeMentions(
  phone: Account,
  chat: ChatTarget,
  { mentionedJid, nonJidMentions }: proto.IContextInfo,
): DescribedMentions {
  const form = isSharedChat(chat) ? chat.form : undefined
  const own = form && formatAddress(phone, form)
  const isNamed = Boolean(own && mentionedJid?.includes(own))
  return {
    ...(mentionedJid?.length && { mentions: mentionedJid }),
    ...(nonJidMentions && { mentionsAll: true }),
    ...((isNamed || (form && nonJidMentions)) && { mentioned: true }),
  }
}
