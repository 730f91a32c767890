// The checks of every message from a companion, to a person or to a group.
import { readBytes, type Stanza } from '../codec/stanza.ts'
import { type Address, findAccount, HOSTED, parseAddress } from '../network/address.ts'
import type { ChatTarget } from '../network/message-chats.ts'
import { Refusal } from '../network/refusal-codes.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import type { Companion } from '../store/companion-table.ts'
import type { AddressForm } from '../store/message-table.ts'

export type Sender = { account: Account; companion: Companion }
/** The part of a message for one device. */
export type Copy = { account: Account; device: number; content: Stanza[] }

export type Posting = {
  chat: ChatTarget
  form: AddressForm
  /** Checks the rest of the message. */
  buildCopies(): Copy[]
  /** The hash of the devices that it should have been encrypted for, if the sender used another list. */
  phash?: string | undefined
}

/** All errors of addressing and encryption have one code on the wire. */
export const INVALID = 479

export type Addressee = { account: Account; address: Address; present: boolean }

/** A device that was just unlinked is no error of the sender: its copy is dropped. */
export function findAddressee(network: Network, jid: string | undefined): Addressee {
  const address = parseAddress(jid)
  const account = findAccount(network.store, address)
  if (address === undefined || account === undefined) throw new Refusal(INVALID)
  const { number } = account
  const hosted = address.device === HOSTED && network.store.hosted.has(number)
  const present = hosted || address.device === 0 || network.store.companions.find(number, address.device)
  return { account, address, present: Boolean(present) }
}

/** The encrypted part for one device, if it is well-formed and the account has signed its sender. */
export function checkEncrypted(message: Stanza, enc: Stanza | undefined, { companion }: Sender): Stanza {
  if (!enc || !isWellFormed(enc, /^(pk)?msg$/)) throw new Refusal(INVALID)
  // A first message to a device carries the proof that the account vouches for its sender.
  const vouched =
    enc.attrs.type !== 'pkmsg' || readBytes(message, 'device-identity')?.equals(companion.deviceIdentity)
  if (!vouched) throw new Refusal(INVALID)
  return enc
}

export function isWellFormed({ attrs, content }: Stanza, type: RegExp): boolean {
  return attrs.v === '2' && type.test(attrs.type ?? '') && content instanceof Uint8Array && content.length > 0
}
