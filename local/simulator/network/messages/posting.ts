// What every message of a companion is judged by, whether it goes to somebody or to a group.
import { bytesOf, type Stanza } from '../../codec/stanza.ts'
import type { Account } from '../../store/accounts.ts'
import type { Companion } from '../../store/companions.ts'
import type { Form } from '../../store/messages.ts'
import { type Address, accountAt, parseAddress } from '../address.ts'
import type { Network } from '../network.ts'
import { Refusal } from '../refusal.ts'
import type { Place } from './chats.ts'

export type Sender = { account: Account; companion: Companion }
/** What one device gets of a message. */
export type Copy = { account: Account; device: number; content: Stanza[] }

export type Posting = {
  chat: Place
  form: Form
  /** Judges the rest of the message. */
  copies(): Copy[]
  /** What the sender should have taken for the group's devices, if it took something else. */
  phash?: string | undefined
}

/** What is wrong with the addressing or the encryption is one code on the wire. */
export const INVALID = 479

export type Addressee = { account: Account; address: Address; present: boolean }

/** A device that was unlinked a moment ago is nobody's mistake: it is not present, and its copy is dropped. */
export function addressee(network: Network, jid: string | undefined): Addressee {
  const address = parseAddress(jid)
  const account = accountAt(network.store, address)
  if (address === undefined || account === undefined) throw new Refusal(INVALID)
  const companion = network.store.companions.find(account.number, address.device)
  return { account, address, present: address.device === 0 || companion !== undefined }
}

/** The encrypted part for one device, if it is well-formed and its sender vouched for. */
export function judged(message: Stanza, enc: Stanza | undefined, { companion }: Sender): Stanza {
  if (!enc || !wellFormed(enc, /^(pk)?msg$/)) throw new Refusal(INVALID)
  // A first message to a device carries the proof that the account vouches for its sender.
  const vouched =
    enc.attrs.type !== 'pkmsg' || bytesOf(message, 'device-identity')?.equals(companion.deviceIdentity)
  if (!vouched) throw new Refusal(INVALID)
  return enc
}

export function wellFormed({ attrs, content }: Stanza, type: RegExp): boolean {
  return attrs.v === '2' && type.test(attrs.type ?? '') && content instanceof Uint8Array && content.length > 0
}
