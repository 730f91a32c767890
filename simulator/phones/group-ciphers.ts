// A phone's encryption in groups: its own sender key, and those of other devices.
import type { proto } from '../codec/protobuf.ts'
import { asBuffer, type Stanza, stanza } from '../codec/stanza.ts'
import type { SharedChat } from '../network/messages/chats.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import type { Group } from '../store/groups.ts'
import { padded, unpadded } from './ciphers.ts'
import {
  distribution,
  type HeardChain,
  newChain,
  type OwnChain,
  openInChain,
  readDistribution,
  sealInChain,
} from './sender-chain.ts'
import { type Peer, peerName } from './signal-storage.ts'

/** The number of keys that are kept of a device. */
const CHAINS_KEPT = 5

const own = (phone: Account) => peerName({ number: phone.number, device: 0 })

/** Throws when it can't be decrypted, whatever the reason. */
export function decryptFromGroup(
  { store }: Network,
  phone: Account,
  chat: string,
  peer: Peer,
  enc: Stanza,
): Buffer {
  const record = store.senderKeys.load(phone.number, chat, peerName(peer))
  const chains: HeardChain[] = record === undefined ? [] : JSON.parse(record)
  const plain = unpadded(openInChain(chains, asBuffer(enc.content as Uint8Array)))
  store.senderKeys.save(phone.number, chat, peerName(peer), JSON.stringify(chains))
  return plain
}

export function acceptSenderKey(
  { store }: Network,
  phone: Account,
  { jid }: SharedChat,
  peer: Peer,
  key: proto.Message.ISenderKeyDistributionMessage,
) {
  const { groupId, axolotlSenderKeyDistributionMessage: bytes } = key
  if (groupId !== jid || !bytes) throw new Error('a sender key for another group')
  const given = readDistribution(bytes)
  const record = store.senderKeys.load(phone.number, jid, peerName(peer))
  const known: HeardChain[] = record === undefined ? [] : JSON.parse(record)
  const others = known.filter((chain) => chain.id !== given.id)
  const chains = [...others, given].slice(-CHAINS_KEPT)
  store.senderKeys.save(phone.number, jid, peerName(peer), JSON.stringify(chains))
}

/** The phone's own key as a message for a device that lacks it, at the chain's current position. */
export function ownSenderKey(network: Network, phone: Account, { jid }: Group): proto.IMessage {
  const chain = ownChain(network, phone, jid)
  return {
    senderKeyDistributionMessage: {
      groupId: jid,
      axolotlSenderKeyDistributionMessage: distribution(chain),
    },
  }
}

export function encryptForGroup(
  network: Network,
  phone: Account,
  { jid }: Group,
  message: Uint8Array,
): Stanza {
  const chain = ownChain(network, phone, jid)
  const sealed = sealInChain(chain, padded(message))
  network.store.senderKeys.save(phone.number, jid, own(phone), JSON.stringify(chain))
  return stanza('enc', { v: '2', type: 'skmsg' }, sealed)
}

function ownChain({ store }: Network, phone: Account, jid: string): OwnChain {
  const record = store.senderKeys.load(phone.number, jid, own(phone))
  if (record !== undefined) return JSON.parse(record)
  const chain = newChain()
  store.senderKeys.save(phone.number, jid, own(phone), JSON.stringify(chain))
  return chain
}
