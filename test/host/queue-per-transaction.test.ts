// Devices in one process that have sessions with the same person: each one's work runs in its own context.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { queuePerTransaction } from '../../session-host/driver/baileys/patches/queue-per-transaction.ts'
import { quietLibsignal } from '../../simulator/phones/quiet.ts'
import { makeSignalDevice } from './signal-device.ts'

const names = ['anna', 'ben', 'cleo']

test('whoever begins or writes does it in the context that asked for it', async () => {
  quietLibsignal()
  queuePerTransaction.apply({})
  const context = new AsyncLocalStorage<string>()
  const seen: [string, string | undefined][] = []
  const friend = makeSignalDevice()
  const devices = names.map((name) => ({
    name,
    device: makeSignalDevice(async () => {
      // By then the others have asked too.
      await turn()
      seen.push([name, context.getStore()])
    }),
  }))
  type Work = (device: ReturnType<typeof makeSignalDevice>) => Promise<unknown>
  const all = (work: Work) =>
    Promise.all(devices.map(({ name, device }) => context.run(name, () => work(device))))

  await all((device) => device.begin(friend.bundle))
  const letters = await all((device) => device.write('hello'))
  expect(letters).toHaveLength(3)
  expect(seen).toHaveLength(6)
  expect(seen.filter(([name, where]) => name !== where)).toEqual([])
})
