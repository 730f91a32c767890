// Names of stored messages. Senders choose their ids, so two messages may have the same one: the second gets a different name.

import { createHash } from 'node:crypto'
import { removeNuls } from '@msgnet/shared/truncation.ts'

/** Longer ids are cut; the network's own are shorter. */
const MAX_ID_LENGTH = 128
const QUALIFIER = /~[0-9a-f]{16}$/
/** The network's own ids do not contain it. An id that does is always stored under a different name, so it cannot take another message's name. */
const MARK = '~'

/** The name of a message in this chat by this author, when another message has its id. */
export function qualifyName(messageid: string, chatid: string, author: string): string {
  const place = createHash('sha256').update(`${chatid}\n${author}`).digest('hex').slice(0, 16)
  return messageid + MARK + place
}

export const isPlainName = (messageid: string): boolean => !messageid.includes(MARK)

/** The id that the network knows. */
export const toNetworkId = (name: string): string => name.replace(QUALIFIER, '')

export const truncateId = (messageid: string): string => removeNuls(messageid).slice(0, MAX_ID_LENGTH)
