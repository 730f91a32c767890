// One end of a Signal session, by libsignal itself, without a network.

import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord } from 'libsignal'
import { calculateSignature, generateKeyPair } from 'libsignal/src/curve.js'

const createKeyPair = () => {
  const { pubKey, privKey } = generateKeyPair()
  return { pubKey: Buffer.from(pubKey), privKey: Buffer.from(privKey) }
}
const address = new ProtocolAddress('the other one', 0)

/** A device with its keys in memory; `beforeRead` is awaited when a session is looked up. */
export function createSignalDevice(beforeRead: () => Promise<void> = async () => undefined) {
  const identity = createKeyPair()
  const signed = createKeyPair()
  const single = createKeyPair()
  let stored: unknown
  const storage = {
    async loadSession() {
      await beforeRead()
      return stored === undefined ? undefined : SessionRecord.deserialize(stored as Uint8Array)
    },
    async storeSession(_: string, record: SessionRecord) {
      stored = record.serialize()
    },
    isTrustedIdentity: () => true,
    loadPreKey: async () => single,
    removePreKey: () => undefined,
    loadSignedPreKey: () => signed,
    getOurRegistrationId: () => 7,
    getOurIdentity: () => identity,
  }
  const bundle = {
    registrationId: 7,
    identityKey: identity.pubKey,
    signedPreKey: {
      keyId: 1,
      publicKey: signed.pubKey,
      signature: calculateSignature(identity.privKey, signed.pubKey),
    },
    preKey: { keyId: 1, publicKey: single.pubKey },
  }
  const createCipher = () => new SessionCipher(storage, address)
  return {
    bundle,
    /** What is stored of the session, in characters. */
    stored: () => JSON.stringify(stored).length,
    /** The number of its sessions with the other. */
    countSessions: () => Object.keys((stored as { _sessions: object })._sessions).length,
    begin: (other: typeof bundle) => new SessionBuilder(storage, address).initOutgoing(other),
    write: (text: string) => createCipher().encrypt(Buffer.from(text)),
    async read({ type, body }: { type: number; body: string }): Promise<string> {
      const sealed = body as unknown as Buffer
      const read = type === 3 ? 'decryptPreKeyWhisperMessage' : 'decryptWhisperMessage'
      return String(await createCipher()[read](sealed))
    },
  }
}
