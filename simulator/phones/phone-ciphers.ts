// A phone's encryption: one Signal session with each companion that it exchanges messages with.
import { randomInt } from 'node:crypto'
import { ProtocolAddress, SessionBuilder, SessionCipher } from 'libsignal'
import { asBuffer, buildStanza, type Stanza } from '../codec/stanza.ts'
import { addKeyType } from '../crypto/curve.ts'
import { type KeyBundle, takeBundle } from '../network/key-bundles.ts'
import type { Network } from '../network/simulated-network.ts'
import type { Account } from '../store/account-table.ts'
import { createSignalStorage, formatPeer, type Peer } from './signal-storage.ts'

const FIRST_MESSAGE = 3
const MAX_PADDING = 16

type SessionEntry = { constructor: { deserialize(data: unknown): SessionEntry }; serialize(): unknown }
type SessionDecryption = { doDecryptWhisperMessage(message: Buffer, session: SessionEntry): Promise<Buffer> }

const { doDecryptWhisperMessage: decryptInSession } = SessionCipher.prototype as unknown as SessionDecryption

/**
 * libsignal's cipher with one change: a message that cannot be decrypted in a session leaves that session unchanged.
 * The library advances the ratchet of every session that it tries, and saves them all once one fits.
 */
class PhoneCipher extends SessionCipher {
  async doDecryptWhisperMessage(message: Buffer, session: SessionEntry): Promise<Buffer> {
    const before = session.constructor.deserialize(session.serialize())
    try {
      return await decryptInSession.call(this as unknown as SessionDecryption, message, session)
    } catch (error) {
      Object.assign(session, before)
      throw error
    }
  }
}

type BuilderBundle = Parameters<SessionBuilder['initOutgoing']>[0]

/** The device's copy, or undefined if the device no longer exists. */
export async function encryptFor(
  network: Network,
  phone: Account,
  to: { account: Account; device: number },
  message: Uint8Array,
): Promise<Stanza | undefined> {
  const peer = { number: to.account.number, device: to.device }
  if (network.store.sessions.loadSession(phone.number, formatPeer(peer)) === undefined) {
    const bundle = takeBundle(network, to.account, to.device)
    if (bundle === undefined) return undefined
    await beginSession(network, phone, peer, bundle)
  }
  const { type, body } = await createCipher(network, phone, peer).encrypt(addPadding(message))
  // libsignal types the body as a string; it is bytes.
  const content = body as unknown as Uint8Array
  return buildStanza('enc', { v: '2', type: type === FIRST_MESSAGE ? 'pkmsg' : 'msg' }, content)
}

/** Throws when it can't be decrypted, whatever the reason. */
export async function decryptFrom(
  network: Network,
  phone: Account,
  peer: Peer,
  enc: Stanza,
): Promise<Buffer> {
  const content = asBuffer(enc.content as Uint8Array)
  const session = createCipher(network, phone, peer)
  const plain =
    enc.attrs.type === 'pkmsg'
      ? await session.decryptPreKeyWhisperMessage(content)
      : await session.decryptWhisperMessage(content)
  return removePadding(plain)
}

/** Begins a new session in place of an existing one. */
export async function beginSession(network: Network, phone: Account, peer: Peer, bundle: KeyBundle) {
  const { registration, identity, signedPreKey, preKey } = bundle
  await new SessionBuilder(
    createSignalStorage(network, phone, peer),
    createAddress(phone, peer),
  ).initOutgoing({
    registrationId: registration,
    identityKey: addKeyType(identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: addKeyType(signedPreKey.public),
      signature: signedPreKey.signature,
    },
    // Its types demand a one-time key, which a device that ran out of them does not have.
    ...(preKey && { preKey: { keyId: preKey.id, publicKey: addKeyType(preKey.public) } }),
  } as BuilderBundle)
}

function createCipher(network: Network, phone: Account, peer: Peer): PhoneCipher {
  return new PhoneCipher(createSignalStorage(network, phone, peer), createAddress(phone, peer))
}

/** libsignal has one queue per address in the whole process; with the phone's own number each phone has its own. */
function createAddress(phone: Account, peer: Peer): ProtocolAddress {
  return new ProtocolAddress(`${phone.number}-${peer.number}`, peer.device)
}

export function addPadding(message: Uint8Array): Buffer {
  const padding = randomInt(1, MAX_PADDING + 1)
  return Buffer.concat([message, Buffer.alloc(padding, padding)])
}

export function removePadding(message: Buffer): Buffer {
  const padding = message.at(-1) ?? 0
  if (padding === 0 || padding > MAX_PADDING || padding > message.length) throw new Error('wrong padding')
  return message.subarray(0, message.length - padding)
}
