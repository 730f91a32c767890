// A server that shows the network's genuine certificate without holding its key is not spoken to.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createBaileysDriver } from '@msgnet/session-host/driver/baileys/baileys-driver.ts'
import type { ConnectionEvents } from '@msgnet/session-host/driver/driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { machineClock } from '@msgnet/session-host/process/machine-clock.ts'
import { generateKeyPair } from '@msgnet/simulator/crypto/curve.ts'
import { createNetwork } from '@msgnet/simulator/network/simulated-network.ts'
import { Sockets } from '@msgnet/simulator/server/sockets.ts'
import { openStore } from '@msgnet/simulator/store/network-store.ts'
import { createServerIdentity, type ServerIdentity } from '@msgnet/simulator/wire/certificates.ts'
import { expect, test } from 'vitest'
import { ignoreAll } from './driver.ts'

const readNothing = async () => new Map<string, Uint8Array<ArrayBuffer>>()
const storeNothing = async () => undefined

/** The first event of a first connection: a QR code, or why there is none. */
async function waitForFirstWord(disguise: (genuine: ServerIdentity) => ServerIdentity): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'impostor-'))
  const store = openStore(dataDir)
  const server = createServer()
  const network = createNetwork(store)
  new Sockets(network, disguise(createServerIdentity(store.rootKeys, store.serverKeys))).acceptFrom(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const driver = createBaileysDriver({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat`,
    rootKey: Buffer.from(store.rootKeys.public),
    actionTimeoutMs: 5000,
    log: createSilentLog(),
    clock: machineClock,
    lease: { runs: true },
    getPendingWrites: () => undefined,
    findStoredMessage: async () => undefined,
    findGroup: async () => undefined,
    credentials: {
      read: readNothing,
      readAll: readNothing,
      write: storeNothing,
      deleteLater: storeNothing,
      deleteAll: storeNothing,
    },
  })
  const word = Promise.withResolvers<string>()
  const events: ConnectionEvents = {
    ...ignoreAll,
    onQr: () => word.resolve('a QR'),
    onClosed: ({ kind, message }) => word.resolve(`${kind}: ${message}`),
  }
  const connection = await driver.connect({ instance: crypto.randomUUID(), fresh: true, events })
  const closing = await word.promise
  await connection.close()
  server.closeAllConnections()
  server.close()
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
  return closing
}

test('the genuine server is accepted', async () => {
  expect(await waitForFirstWord((genuine) => genuine)).toBe('a QR')
})

test('a genuine certificate of another server is refused', async () => {
  const stealIdentity = (genuine: ServerIdentity) => ({ ...genuine, keys: generateKeyPair() })
  expect(await waitForFirstWord(stealIdentity)).toMatch(/^unreachable: noise .*certificate signature invalid/)
})

test('a chain under another root is refused', async () => {
  const createSelfMade = ({ keys }: ServerIdentity) => createServerIdentity(generateKeyPair(), keys)
  expect(await waitForFirstWord(createSelfMade)).toMatch(
    /^unreachable: noise .*certificate signature invalid/,
  )
})
