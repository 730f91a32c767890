// Two sessions between the same devices: what still comes in the older one does not spoil the newer.

import { expect, test } from 'vitest'
import { undoFailedDecryption } from '../../session-host/driver/baileys/patches/undo-failed-decryption.ts'
import { quietLibsignal } from '../../simulator/phones/quiet.ts'
import { makeSignalDevice } from './signal-device.ts'

test('a message of the older session is read, and what is written in the newer one is readable', async () => {
  quietLibsignal()
  undoFailedDecryption.apply({})
  const [ours, theirs] = [makeSignalDevice(), makeSignalDevice()]
  await ours.begin(theirs.bundle)
  expect(await theirs.read(await ours.write('one'))).toBe('one')
  expect(await ours.read(await theirs.write('two'))).toBe('two')
  expect(await theirs.read(await ours.write('three'))).toBe('three')

  const onItsWay = await theirs.write('four, in the older session')
  await ours.begin(theirs.bundle)
  expect(await ours.read(onItsWay)).toBe('four, in the older session')
  expect(await theirs.read(await ours.write('five, in the newer one'))).toBe('five, in the newer one')
})
