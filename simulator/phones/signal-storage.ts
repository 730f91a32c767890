// The storage that libsignal needs for a phone's session with one device.
import { SessionRecord, type SignalStorage } from 'libsignal'
import { typed } from '../crypto/curve.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'

/** The chains that a phone of the network keeps; otherwise each answer would make the session larger. */
const CHAINS_REMEMBERED = 5
/** libsignal's type of a receiving chain. */
const RECEIVING = 2

export type Peer = { number: string; device: number }

export function peerName({ number, device }: Peer): string {
  return `${number}.${device}`
}

export function signalStorage({ store }: Network, phone: Account, peer: Peer): SignalStorage {
  const name = peerName(peer)
  return {
    async loadSession() {
      const record = store.sessions.load(phone.number, name)
      return record === undefined ? undefined : SessionRecord.deserialize(JSON.parse(record))
    },
    async storeSession(_, session) {
      store.sessions.save(phone.number, name, JSON.stringify(withoutOldChains(session.serialize())))
    },
    /** The network knows every device's identity: a message under another one is not from that device. */
    isTrustedIdentity(_, identity) {
      const registered = store.companions.find(peer.number, peer.device)?.identity
      return registered !== undefined && typed(registered).equals(identity)
    },
    async loadPreKey(id) {
      const pair = store.preKeys.findOfPhone(phone.number, Number(id))
      return pair && { privKey: pair.private, pubKey: typed(pair.public) }
    },
    removePreKey(id) {
      store.preKeys.dropOfPhone(phone.number, id)
    },
    loadSignedPreKey: () => ({
      privKey: phone.signedPreKey.private,
      pubKey: typed(phone.signedPreKey.public),
    }),
    getOurRegistrationId: () => phone.registration,
    getOurIdentity: () => ({ privKey: phone.identity.private, pubKey: typed(phone.identity.public) }),
  }
}

/** The part of a stored session that libsignal's types leave out. Chains are in the order in which they began. */
interface Stored {
  _sessions: Record<string, { _chains: Record<string, { chainType: number }> }>
}

function withoutOldChains(serialized: unknown): Stored {
  const stored = serialized as Stored
  for (const { _chains: chains } of Object.values(stored._sessions)) {
    const receiving = Object.keys(chains).filter((key) => chains[key]?.chainType === RECEIVING)
    for (const key of receiving.slice(0, -CHAINS_REMEMBERED)) delete chains[key]
  }
  return stored
}
