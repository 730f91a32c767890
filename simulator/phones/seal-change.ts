// What a phone encrypts under the secret of the message that it changes or answers: edits, reactions, votes, comments, answers to events.
import { randomBytes } from 'node:crypto'
import { proto } from '../codec/protobuf.ts'
import { hkdf, sealGcm } from '../crypto/ciphers.ts'
import { formatAddress } from '../network/address.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Message } from '../store/message-table.ts'

const IV = 12

export type SealLabel =
  | 'Message Edit'
  | 'Event Edit'
  | 'Poll Edit'
  | 'Poll Add Option'
  | 'Enc Reaction'
  | 'Enc Comment'
  | 'Event Response'
  | 'Poll Vote'

/** These also authenticate the message's id and the writer. */
const WITH_ASSOCIATED_DATA: SealLabel[] = ['Event Response', 'Poll Vote']

export type Sealed = { encPayload: Uint8Array; encIv: Uint8Array }

/** `secret`: of `target`, which `author` wrote. Both people are named as the chat addresses them. */
export function sealChange(
  secret: Uint8Array,
  { target, author, by }: { target: Message; author: Account; by: Account },
  label: SealLabel,
  plain: Uint8Array,
): Sealed {
  const { id, form } = target
  const writer = formatAddress(by, form)
  const key = hkdf(secret, 32, undefined, `${id}${formatAddress(author, form)}${writer}${label}`)
  const encIv = randomBytes(IV)
  const associated = WITH_ASSOCIATED_DATA.includes(label) ? Buffer.from(`${id}\0${writer}`) : undefined
  return { encPayload: sealGcm(key, encIv, plain, associated), encIv }
}

/** The secret of a message that this phone wrote or has decrypted; undefined if the message came without one. */
export function findSecret(network: Network, phone: Account, target: Message): Uint8Array | undefined {
  if (!target.content) return network.store.inbox.findSecret(phone.number, target.sender, target.id)
  return readSecret(proto.Message.decode(target.content))
}

export function readSecret(message: proto.IMessage): Uint8Array | undefined {
  const secret = message.messageContextInfo?.messageSecret
  return secret?.length ? secret : undefined
}
