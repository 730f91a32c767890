// Two sessions between the same devices: what still comes in the older one does not spoil the newer.

import { ProtocolAddress, SessionBuilder, SessionCipher, SessionRecord } from 'libsignal'
import { calculateSignature, generateKeyPair } from 'libsignal/src/curve.js'
import { expect, test } from 'vitest'
import { quietLibsignal } from '../../local/simulator/phones/quiet.ts'
import { undoFailedAttempts } from '../../session-host/driver/baileys/undone-attempts.ts'

const keyPair = () => {
  const { pubKey, privKey } = generateKeyPair()
  return { pubKey: Buffer.from(pubKey), privKey: Buffer.from(privKey) }
}
const address = new ProtocolAddress('the other one', 0)

/** A device with its keys in memory. */
function device() {
  const identity = keyPair()
  const signed = keyPair()
  const single = keyPair()
  let stored: unknown
  const storage = {
    loadSession: async () =>
      stored === undefined ? undefined : SessionRecord.deserialize(stored as Uint8Array),
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
  const cipher = () => new SessionCipher(storage, address)
  return {
    bundle,
    begin: (other: typeof bundle) => new SessionBuilder(storage, address).initOutgoing(other),
    write: (text: string) => cipher().encrypt(Buffer.from(text)),
    async read({ type, body }: { type: number; body: string }): Promise<string> {
      const sealed = body as unknown as Buffer
      const read = type === 3 ? 'decryptPreKeyWhisperMessage' : 'decryptWhisperMessage'
      return String(await cipher()[read](sealed))
    },
  }
}

test('a message of the older session is read, and what is written in the newer one is readable', async () => {
  quietLibsignal()
  undoFailedAttempts()
  const [ours, theirs] = [device(), device()]
  await ours.begin(theirs.bundle)
  expect(await theirs.read(await ours.write('one'))).toBe('one')
  expect(await ours.read(await theirs.write('two'))).toBe('two')
  expect(await theirs.read(await ours.write('three'))).toBe('three')

  const onItsWay = await theirs.write('four, in the older session')
  await ours.begin(theirs.bundle)
  expect(await ours.read(onItsWay)).toBe('four, in the older session')
  expect(await theirs.read(await ours.write('five, in the newer one'))).toBe('five, in the newer one')
})
