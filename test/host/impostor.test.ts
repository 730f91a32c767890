// A server that shows the network's genuine certificate without holding its key is not spoken to.

import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { machineClock } from '../../session-host/clock.ts'
import { makeBaileysDriver } from '../../session-host/driver/baileys/driver.ts'
import type { ConnectionEvents } from '../../session-host/driver/driver.ts'
import { silentLog } from '../../session-host/log.ts'
import { generateKeyPair } from '../../simulator/crypto/curve.ts'
import { makeNetwork } from '../../simulator/network/network.ts'
import { Sockets } from '../../simulator/network/sockets.ts'
import { openStore } from '../../simulator/store/store.ts'
import { type ServerIdentity, serverIdentity } from '../../simulator/wire/certificates.ts'

const nothing = async () => new Map<string, Uint8Array<ArrayBuffer>>()
const unkept = async () => undefined

/** What a first connection hears: a QR, or why there is none. */
async function firstWord(disguise: (genuine: ServerIdentity) => ServerIdentity): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'impostor-'))
  const store = openStore(dataDir)
  const server = createServer()
  const network = makeNetwork(store)
  new Sockets(network, disguise(serverIdentity(store.rootKeys, store.serverKeys))).acceptFrom(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const driver = makeBaileysDriver({
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat`,
    rootKey: Buffer.from(store.rootKeys.public),
    actionTimeoutMs: 5000,
    log: silentLog(),
    clock: machineClock,
    lease: { runs: true },
    writeFirst: () => undefined,
    findStored: async () => undefined,
    findGroup: async () => undefined,
    credentials: { read: nothing, all: nothing, write: unkept, forget: unkept, clear: unkept },
  })
  const word = Promise.withResolvers<string>()
  const unheard = () => undefined
  const events: ConnectionEvents = {
    qr: () => word.resolve('a QR'),
    closed: ({ kind, message }) => word.resolve(`${kind}: ${message}`),
    code: unheard,
    passkey: unheard,
    open: unheard,
    named: unheard,
    messages: async () => undefined,
    receipts: unheard,
    ack: unheard,
    restricted: unheard,
    groupJoined: unheard,
    groupChanged: unheard,
    groupsListed: unheard,
    groupRenewed: async () => undefined,
    groupAddressed: unheard,
    call: unheard,
    settings: unheard,
    unknownWord: unheard,
    peopleNamed: unheard,
  }
  const connection = await driver.connect({ instance: crypto.randomUUID(), fresh: true, events })
  const heard = await word.promise
  await connection.close()
  server.closeAllConnections()
  server.close()
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
  return heard
}

test('the genuine server is spoken to', async () => {
  expect(await firstWord((genuine) => genuine)).toBe('a QR')
})

test('a genuine certificate in the hands of another server is worth nothing', async () => {
  const stolen = (genuine: ServerIdentity) => ({ ...genuine, keys: generateKeyPair() })
  expect(await firstWord(stolen)).toMatch(/^unreachable: noise .*certificate signature invalid/)
})

test('a chain under a root of the server’s own is worth nothing', async () => {
  const selfMade = ({ keys }: ServerIdentity) => serverIdentity(generateKeyPair(), keys)
  expect(await firstWord(selfMade)).toMatch(/^unreachable: noise .*certificate signature invalid/)
})
