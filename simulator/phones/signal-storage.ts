// The storage that libsignal needs for a phone's session with one device.
import { SessionRecord, type SignalStorage } from 'libsignal'
import { addKeyType } from '../crypto/curve.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'

/** The chains that a phone of the network stores; without a limit each reply would make the session larger. */
const MAX_CHAINS = 5
/** libsignal's type of a receiving chain. */
const RECEIVING = 2

export type Peer = { number: string; device: number }

export function formatPeer({ number, device }: Peer): string {
  return `${number}.${device}`
}

export function createSignalStorage({ store }: Network, phone: Account, peer: Peer): SignalStorage {
  const name = formatPeer(peer)
  return {
    async loadSession() {
      const record = store.sessions.loadSession(phone.number, name)
      return record === undefined ? undefined : SessionRecord.deserialize(JSON.parse(record))
    },
    async storeSession(_, session) {
      store.sessions.saveSession(phone.number, name, JSON.stringify(removeOldChains(session.serialize())))
    },
    /** The network knows every device's identity: a message under another one is not from that device. */
    isTrustedIdentity(_, identity) {
      const registered = store.companions.find(peer.number, peer.device)?.identity
      return registered !== undefined && addKeyType(registered).equals(identity)
    },
    async loadPreKey(id) {
      const pair = store.preKeys.findForPhone(phone.number, Number(id))
      return pair && { privKey: pair.private, pubKey: addKeyType(pair.public) }
    },
    removePreKey(id) {
      store.preKeys.deleteForPhone(phone.number, id)
    },
    loadSignedPreKey: () => ({
      privKey: phone.signedPreKey.private,
      pubKey: addKeyType(phone.signedPreKey.public),
    }),
    getOurRegistrationId: () => phone.registration,
    getOurIdentity: () => ({ privKey: phone.identity.private, pubKey: addKeyType(phone.identity.public) }),
  }
}

/** The part of a stored session that libsignal's types leave out. Chains are in the order in which they began. */
interface Stored {
  _sessions: Record<string, { _chains: Record<string, { chainType: number }> }>
}

function removeOldChains(serialized: unknown): Stored {
  const stored = serialized as Stored
  for (const { _chains: chains } of Object.values(stored._sessions)) {
    const receiving = Object.keys(chains).filter((key) => chains[key]?.chainType === RECEIVING)
    for (const key of receiving.slice(0, -MAX_CHAINS)) delete chains[key]
  }
  return stored
}
