// A phone's encryption: one Signal session with each companion that it exchanges messages with.
import { randomInt } from 'node:crypto'
import { ProtocolAddress, SessionBuilder } from 'libsignal'
import { asBuffer, type Stanza, stanza } from '../codec/stanza.ts'
import { typed } from '../crypto/curve.ts'
import { type KeyBundle, takeBundle } from '../network/key-bundles.ts'
import type { Network } from '../network/network.ts'
import type { Account } from '../store/accounts.ts'
import { PhoneCipher } from './cipher.ts'
import { type Peer, peerName, signalStorage } from './signal-storage.ts'

const FIRST_MESSAGE = 3
const MOST_PADDING = 16

type BuilderBundle = Parameters<SessionBuilder['initOutgoing']>[0]

/** The device's copy, or undefined if the device no longer exists. */
export async function encryptFor(
  network: Network,
  phone: Account,
  to: { account: Account; device: number },
  message: Uint8Array,
): Promise<Stanza | undefined> {
  const peer = { number: to.account.number, device: to.device }
  if (network.store.sessions.load(phone.number, peerName(peer)) === undefined) {
    const bundle = takeBundle(network, to.account, to.device)
    if (bundle === undefined) return undefined
    await beginSession(network, phone, peer, bundle)
  }
  const { type, body } = await cipher(network, phone, peer).encrypt(padded(message))
  // libsignal types the body as a string; it is bytes.
  const content = body as unknown as Uint8Array
  return stanza('enc', { v: '2', type: type === FIRST_MESSAGE ? 'pkmsg' : 'msg' }, content)
}

/** Throws when it can't be decrypted, whatever the reason. */
export async function decryptFrom(
  network: Network,
  phone: Account,
  peer: Peer,
  enc: Stanza,
): Promise<Buffer> {
  const content = asBuffer(enc.content as Uint8Array)
  const session = cipher(network, phone, peer)
  const plain =
    enc.attrs.type === 'pkmsg'
      ? await session.decryptPreKeyWhisperMessage(content)
      : await session.decryptWhisperMessage(content)
  return unpadded(plain)
}

/** Begins a new session in place of an existing one. */
export async function beginSession(network: Network, phone: Account, peer: Peer, bundle: KeyBundle) {
  const { registration, identity, signedPreKey, preKey } = bundle
  await new SessionBuilder(signalStorage(network, phone, peer), address(phone, peer)).initOutgoing({
    registrationId: registration,
    identityKey: typed(identity),
    signedPreKey: {
      keyId: signedPreKey.id,
      publicKey: typed(signedPreKey.public),
      signature: signedPreKey.signature,
    },
    // Its types demand a one-time key, which a device that ran out of them does not have.
    ...(preKey && { preKey: { keyId: preKey.id, publicKey: typed(preKey.public) } }),
  } as BuilderBundle)
}

function cipher(network: Network, phone: Account, peer: Peer): PhoneCipher {
  return new PhoneCipher(signalStorage(network, phone, peer), address(phone, peer))
}

/** libsignal has one queue per address in the whole process; with the phone's own number each phone has its own. */
function address(phone: Account, peer: Peer): ProtocolAddress {
  return new ProtocolAddress(`${phone.number}-${peer.number}`, peer.device)
}

export function padded(message: Uint8Array): Buffer {
  const padding = randomInt(1, MOST_PADDING + 1)
  return Buffer.concat([message, Buffer.alloc(padding, padding)])
}

export function unpadded(message: Buffer): Buffer {
  const padding = message.at(-1) ?? 0
  if (padding === 0 || padding > MOST_PADDING || padding > message.length) throw new Error('wrong padding')
  return message.subarray(0, message.length - padding)
}
