// Several sessions between the same devices: what comes again costs one try, and what is for another session is still read.

import { libsignal } from '@msgnet/session-host/driver/baileys/patches/patch.ts'
import { sessionByChain } from '@msgnet/session-host/driver/baileys/patches/session-by-chain.ts'
import { undoFailedDecryption } from '@msgnet/session-host/driver/baileys/patches/undo-failed-decryption.ts'
import { quietLibsignal } from '@msgnet/simulator/phones/quiet-libsignal.ts'
import { expect, onTestFinished, test } from 'vitest'
import { createSignalDevice } from './signal-device.ts'

const SESSIONS = 5

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

test('a message that comes again is tried in the session of its chain alone', async () => {
  quietLibsignal()
  undoFailedDecryption.apply({})
  sessionByChain.apply({})
  const [ours, peer] = [createSignalDevice(), createSignalDevice()]
  for (let n = 0; n < SESSIONS; n++) {
    await peer.begin(ours.bundle)
    expect(await ours.read(await peer.write(`session ${n}`))).toBe(`session ${n}`)
  }
  await peer.read(await ours.write('a reply'))
  const message = await peer.write('in the newest session')
  expect(await ours.read(message)).toBe('in the newest session')
  expect(ours.countSessions()).toBe(SESSIONS)
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
