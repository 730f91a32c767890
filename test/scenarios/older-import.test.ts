// A device that the library's older line has linked moves in: what it kept under other names is found all the same.
//
// Alone in its process: it loads another version of the library, and two of them in one process share the definitions of their messages.
// @vitest-environment-options { "process": "older-library" }
// @module-tag slow

import { BufferJSON } from 'baileys-6'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  countRetries,
  createAccount,
  listDelivered,
  type MovingClient,
  moveIn,
  receiveFromCompanion,
  talkAfter,
  talkBefore,
} from '../imported-account.ts'
import type { Receiver } from '../receiver.ts'
import { borrowStage } from '../scene.ts'
import { joinLines, writeImportLines } from '../wire/memory-keys.ts'
import type { SharedWorld } from '../world.ts'
import { OlderClient } from './older-client.ts'

let world: SharedWorld
let receiver: Receiver
const clients: OlderClient[] = []

beforeAll(async () => {
  ;({ world, receiver } = await borrowStage())
})
afterAll(() => Promise.all(clients.map((client) => client.leave())))

async function linkClient(number: string): Promise<OlderClient> {
  const client = new OlderClient(String((await world.sim('GET', '/network')).url))
  clients.push(client)
  await world.sim('POST', `/phones/${number}/scan`, { qr: await client.showQr() })
  await client.waitUntilClosed()
  await client.login()
  return client
}

const toMoving = (client: OlderClient): MovingClient => ({
  sendText: (to, text) => client.send(to, { text }),
  listTexts: () => client.received.map(({ text }) => text),
  end: () => client.leave(),
})

// It writes to numbers, which the network refuses once an account is migrated to LIDs.
test.each(['before', 'after'])(
  'moves in, and goes on both ways: migrated to LIDs %s it moves',
  async (when) => {
    const move = await createAccount(world, { lidMigrated: false })
    const client = await linkClient(move.number)
    const companion = toMoving(await linkClient(move.friend))
    await talkBefore(world, toMoving(client), move)
    for (const round of ['one', 'two'])
      await receiveFromCompanion(companion, move, () => toMoving(client).listTexts(), round)
    const migrate = async () => {
      for (const phone of [move.number, move.friend, move.member])
        await world.sim('PATCH', `/phones/${phone}`, { lidMigrated: true })
    }
    if (when === 'before') await migrate()
    await client.leave()
    const lines = writeImportLines({
      account: `${move.number}@s.msgnet.net`,
      creds: client.creds,
      keys: client.keys,
      replacer: BufferJSON.replacer,
    })
    expect(lines.some((line) => line.startsWith('{"kind":"lid-mapping"'))).toBe(false)
    const device = await moveIn(world, receiver, move, joinLines(lines))
    const before = await countRetries(world, move.number)
    if (when === 'after')
      await receiveFromCompanion(companion, move, () => listDelivered(receiver, device), 'after the move')
    expect((await countRetries(world, move.number)) - before).toBe(0)
    await talkAfter(world, receiver, device, move)
    if (when === 'before') return
    await migrate()
    await talkAfter(world, receiver, device, move)
  },
)
