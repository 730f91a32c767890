// Several sessions between the same devices: what comes again costs one try, and what is for another session is still read.

import { fromBaileys, libsignal } from '@msgnet/session-host/driver/baileys/patches/patch.ts'
import { sessionByChain } from '@msgnet/session-host/driver/baileys/patches/session-by-chain.ts'
import { undoFailedDecryption } from '@msgnet/session-host/driver/baileys/patches/undo-failed-decryption.ts'
import { quietLibsignal } from '@msgnet/simulator/phones/quiet-libsignal.ts'
import { generateKeyPair } from 'libsignal/src/curve.js'
import { expect, onTestFinished, test } from 'vitest'
import { createSignalDevice } from './signal-device.ts'

const SESSIONS = 5

interface Header {
  ephemeralKey: Buffer
  counter: number
  previousCounter: number
  ciphertext: Buffer
}
const { WhisperMessage } = fromBaileys('libsignal/src/protobufs') as {
  WhisperMessage: { encode(message: Header): { finish(): Uint8Array } }
}

/** Of the protocol, before a message; behind it there is a code of authentication. */
const [VERSION, MAC_BYTES] = [0x33, 8]

/** Counts the sessions in which messages are tried. */
function countTries() {
  const cipher = libsignal.SessionCipher.prototype as unknown as {
    doDecryptWhisperMessage(...args: unknown[]): Promise<Buffer>
  }
  const decrypt = cipher.doDecryptWhisperMessage
  const counted = { tries: 0 }
  cipher.doDecryptWhisperMessage = function (...args) {
    counted.tries += 1
    return decrypt.apply(this, args)
  }
  onTestFinished(() => {
    cipher.doDecryptWhisperMessage = decrypt
  })
  return counted
}

async function beginSessions() {
  const [ours, peer] = [createSignalDevice(), createSignalDevice()]
  for (let n = 0; n < SESSIONS; n++) {
    await peer.begin(ours.bundle)
    expect(await ours.read(await peer.write(`session ${n}`))).toBe(`session ${n}`)
  }
  await peer.read(await ours.write('a reply'))
  expect(ours.countSessions()).toBe(SESSIONS)
  return { ours, peer }
}

test('a message that comes again is tried in the session of its chain alone', async () => {
  quietLibsignal()
  undoFailedDecryption.apply({})
  sessionByChain.apply({})
  const { ours, peer } = await beginSessions()
  const message = await peer.write('in the newest session')
  expect(await ours.read(message)).toBe('in the newest session')
  const counted = countTries()
  await expect(ours.read(message)).rejects.toThrow('No matching sessions')
  expect(counted.tries).toBe(1)
})

test('a message that begins a chain is read in whichever session it is for', async () => {
  quietLibsignal()
  undoFailedDecryption.apply({})
  sessionByChain.apply({})
  const [ours, peer] = [createSignalDevice(), createSignalDevice()]
  await ours.begin(peer.bundle)
  expect(await peer.read(await ours.write('one'))).toBe('one')
  const beginning = await peer.write('begins a chain of the older session')
  await ours.begin(peer.bundle)
  await ours.write('in the newer session')
  expect(await ours.read(beginning)).toBe('begins a chain of the older session')
})

test.each([
  { counter: 0, previousCounter: 0, tries: SESSIONS },
  { counter: 1999, previousCounter: 0, tries: 2 },
  { counter: 1999, previousCounter: 2000, tries: 1 },
  { counter: 2 ** 32 - 1, previousCounter: 2 ** 32 - 1, tries: 1 },
])(
  'a message of an unknown chain with the numbers $counter and $previousCounter is tried in $tries of five sessions',
  async ({ counter, previousCounter, tries }) => {
    quietLibsignal()
    undoFailedDecryption.apply({})
    sessionByChain.apply({})
    const { ours, peer } = await beginSessions()
    const known = await peer.write('in the newest session')
    const ephemeralKey = Buffer.from(generateKeyPair().pubKey)
    const message = WhisperMessage.encode({
      ephemeralKey,
      counter,
      previousCounter,
      ciphertext: Buffer.alloc(16),
    })
    const body = Buffer.concat([
      Buffer.of(VERSION),
      message.finish(),
      Buffer.alloc(MAC_BYTES),
    ]) as unknown as string
    const counted = countTries()
    await expect(ours.read({ type: 1, body })).rejects.toThrow('No matching sessions')
    expect(counted.tries).toBe(tries)
    expect(await ours.read(known)).toBe('in the newest session')
  },
)
