// A phone's encryption in groups: its own sender key, and those of other devices.
import type { proto } from '../codec/protobuf.ts'
import { asBuffer, buildStanza, type Stanza } from '../codec/stanza.ts'
import type { SharedChat } from '../network/message-chats.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { addPadding, removePadding } from './phone-ciphers.ts'
import {
  createChain,
  decodeDistribution,
  encodeDistribution,
  type OwnChain,
  openInChain,
  type ReceivedChain,
  sealInChain,
} from './sender-chain.ts'
import { formatPeer, type Peer } from './signal-storage.ts'

/** The maximum number of keys that are stored of a device. */
const MAX_CHAINS = 5

const formatPhonePeer = (phone: Account) => formatPeer({ number: phone.number, device: 0 })

/** Throws when it can't be decrypted, whatever the reason. */
export function decryptFromGroup(
  { store }: Network,
  phone: Account,
  chat: string,
  peer: Peer,
  enc: Stanza,
): Buffer {
  const record = store.senderKeys.loadKey(phone.number, chat, formatPeer(peer))
  const chains: ReceivedChain[] = record === undefined ? [] : JSON.parse(record)
  const plain = removePadding(openInChain(chains, asBuffer(enc.content as Uint8Array)))
  store.senderKeys.saveKey(phone.number, chat, formatPeer(peer), JSON.stringify(chains))
  return plain
}

export function storeSenderKey(
  { store }: Network,
  phone: Account,
  { jid }: SharedChat,
  peer: Peer,
  key: proto.Message.ISenderKeyDistributionMessage,
) {
  const { groupId, axolotlSenderKeyDistributionMessage: bytes } = key
  if (groupId !== jid || !bytes) throw new Error('a sender key for another group')
  const received = decodeDistribution(bytes)
  const record = store.senderKeys.loadKey(phone.number, jid, formatPeer(peer))
  const known: ReceivedChain[] = record === undefined ? [] : JSON.parse(record)
  const others = known.filter((chain) => chain.id !== received.id)
  const chains = [...others, received].slice(-MAX_CHAINS)
  store.senderKeys.saveKey(phone.number, jid, formatPeer(peer), JSON.stringify(chains))
}

/** The phone's own key as a message for a device that lacks it, at the chain's current position. */
export function buildSenderKeyMessage(network: Network, phone: Account, { jid }: SharedChat): proto.IMessage {
  const chain = ensureOwnChain(network, phone, jid)
  return {
    senderKeyDistributionMessage: {
      groupId: jid,
      axolotlSenderKeyDistributionMessage: encodeDistribution(chain),
    },
  }
}

export function encryptForGroup(
  network: Network,
  phone: Account,
  { jid }: SharedChat,
  message: Uint8Array,
): Stanza {
  const chain = ensureOwnChain(network, phone, jid)
  const sealed = sealInChain(chain, addPadding(message))
  network.store.senderKeys.saveKey(phone.number, jid, formatPhonePeer(phone), JSON.stringify(chain))
  return buildStanza('enc', { v: '2', type: 'skmsg' }, sealed)
}

function ensureOwnChain({ store }: Network, phone: Account, jid: string): OwnChain {
  const record = store.senderKeys.loadKey(phone.number, jid, formatPhonePeer(phone))
  if (record !== undefined) return JSON.parse(record)
  const chain = createChain()
  store.senderKeys.saveKey(phone.number, jid, formatPhonePeer(phone), JSON.stringify(chain))
  return chain
}
