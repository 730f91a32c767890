// Two sessions between the same devices: what still comes in the older one does not spoil the newer.

import { undoFailedDecryption } from '@msgnet/session-host/driver/baileys/patches/undo-failed-decryption.ts'
import { quietLibsignal } from '@msgnet/simulator/phones/quiet-libsignal.ts'
import { expect, test } from 'vitest'
import { createSignalDevice } from './signal-device.ts'

test('a message of the older session is decrypted, and messages of the newer one stay readable', async () => {
  quietLibsignal()
  undoFailedDecryption.apply({})
  const [ours, peer] = [createSignalDevice(), createSignalDevice()]
  await ours.begin(peer.bundle)
  expect(await peer.read(await ours.write('one'))).toBe('one')
  expect(await ours.read(await peer.write('two'))).toBe('two')
  expect(await peer.read(await ours.write('three'))).toBe('three')

  const onItsWay = await peer.write('four, in the older session')
  await ours.begin(peer.bundle)
  expect(await ours.read(onItsWay)).toBe('four, in the older session')
  expect(await peer.read(await ours.write('five, in the newer one'))).toBe('five, in the newer one')
})
