// Names of stored messages. Senders choose their ids, so that two messages may come under one: the second has a name of its own.

import { createHash } from 'node:crypto'

/** Longer ids than the network's own are cut. */
const ID_LENGTH = 128
const BESIDE = /~[0-9a-f]{16}$/
/** No id of the network has it; one that does is always stored beside, so that nobody takes a name that is not his. */
const MARK = '~'

/** Of a message in this chat by this author, where another message has the id. */
export function nameBeside(messageid: string, chatid: string, author: string): string {
  const place = createHash('sha256').update(`${chatid}\n${author}`).digest('hex').slice(0, 16)
  return messageid + MARK + place
}

export const isPlain = (messageid: string): boolean => !messageid.includes(MARK)

/** The id by which the network knows it. */
export const networkId = (name: string): string => name.replace(BESIDE, '')

export const boundedId = (messageid: string): string => messageid.slice(0, ID_LENGTH)
