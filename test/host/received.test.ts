// Between the network's "they have it" and our disk no message is lost: it is told again by the next connection.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSimulator } from '../../local/simulator/simulator.ts'
import { makeBaileysDriver } from '../../session-host/driver/baileys/driver.ts'
import type { Connection, ConnectionEvents, NetworkMessage } from '../../session-host/driver/driver.ts'
import { silentLog } from '../../session-host/log.ts'
import { makeCredentialStore } from '../../session-host/store/credentials.ts'
import { openStore } from '../../session-host/store/store.ts'
import { makeSealer } from '../../shared/seal.ts'
import { until } from '../until.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
const unheard = () => undefined

test.each(['pn', 'lid'])(
  'a message that was not stored is told again, with all that was known (%s)',
  async (addressing) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'received-'))
    const simulator = await startSimulator({ port: 0, dataDir })
    const sim = async (path: string, body: object) => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${simulator.url}/sim${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(body),
      })
      if (!response.ok) throw new Error(`${path} answered ${response.status}`)
    }
    const store = await openStore(join(dataDir, 'host.db'))
    const sealer = await makeSealer(`test:${randomBytes(32).toString('base64')}`)
    const driver = makeBaileysDriver({
      url: simulator.networkUrl,
      rootKey: Buffer.from(simulator.rootKey, 'hex'),
      actionTimeoutMs: 5000,
      log: silentLog(),
      findSent: async () => undefined,
      findGroup: async () => undefined,
      credentials: makeCredentialStore(store, sealer),
    })
    const instance = crypto.randomUUID()
    const connect = async (messages: ConnectionEvents['messages']) => {
      let opened = false
      let closed = false
      let qr = ''
      const groups = { groupJoined: unheard, groupChanged: unheard, groupsListed: unheard, call: unheard }
      const quiet = { code: unheard, named: unheard, receipts: unheard, ack: unheard, restricted: unheard }
      const events = { ...quiet, ...groups }
      const fresh = (await driver.credential(instance)) !== 'linked'
      const connection = await driver.connect({
        instance,
        fresh,
        events: {
          ...events,
          messages,
          qr: (text) => (qr = text),
          open: () => (opened = true),
          closed: () => (closed = true),
        },
      })
      return { connection, opened: () => opened, closed: () => closed, qr: () => qr }
    }

    await sim('/phones', { number: ANNA })
    await sim('/phones', { number: BEN, name: 'Ben' })
    const pairing = await connect(async () => undefined)
    await sim(`/phones/${ANNA}/scan`, { qr: await until(pairing.qr) })
    await until(pairing.closed)

    const first: NetworkMessage[] = []
    // Like a process that dies before its commit: it is never stored.
    const dying = await connect((messages) => {
      first.push(...messages)
      return new Promise(() => undefined)
    })
    await until(dying.opened)
    await sim('/messages', { from: BEN, to: ANNA, text: 'hold on to me', addressing })
    await until(() => first.length === 1)
    await dying.connection.close()

    const second: NetworkMessage[] = []
    const living = await connect(async (messages) => void second.push(...messages))
    await until(() => second.length === 1)
    expect(second).toEqual(first)
    expect(second[0]).toMatchObject({ text: 'hold on to me', senderName: 'Ben' })
    await until(async () => (await makeCredentialStore(store, sealer).all(instance, 'received')).size === 0)
    await living.connection.close()

    const third: NetworkMessage[] = []
    const last: { connection: Connection; opened(): boolean } = await connect(
      async (messages) => void third.push(...messages),
    )
    await until(last.opened)
    await last.connection.close()
    expect(third).toEqual([])
    await simulator.close()
    store.close()
    rmSync(dataDir, { recursive: true, force: true })
  },
)
