// Devices in one process that have sessions with the same person: each one's work runs in its own context.

import { AsyncLocalStorage } from 'node:async_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import { queuePerTransaction } from '@msgnet/session-host/driver/baileys/patches/queue-per-transaction.ts'
import { quietLibsignal } from '@msgnet/simulator/phones/quiet-libsignal.ts'
import { expect, test } from 'vitest'
import { createSignalDevice } from './signal-device.ts'

const names = ['anna', 'ben', 'cleo']

test('each transaction runs in the asynchronous context of its caller', async () => {
  quietLibsignal()
  queuePerTransaction.apply({})
  const context = new AsyncLocalStorage<string>()
  const seen: [string, string | undefined][] = []
  const friend = createSignalDevice()
  const devices = names.map((name) => ({
    name,
    device: createSignalDevice(async () => {
      // By then the others have called too.
      await turn()
      seen.push([name, context.getStore()])
    }),
  }))
  type Work = (device: ReturnType<typeof createSignalDevice>) => Promise<unknown>
  const runOnAll = (work: Work) =>
    Promise.all(devices.map(({ name, device }) => context.run(name, () => work(device))))

  await runOnAll((device) => device.begin(friend.bundle))
  const letters = await runOnAll((device) => device.write('hello'))
  expect(letters).toHaveLength(3)
  expect(seen).toHaveLength(6)
  expect(seen.filter(([name, where]) => name !== where)).toEqual([])
})
