// A device that the library's older line has linked, with a thousand messages behind it, moves in from the folder that it has written.
//
// Alone in its process: it loads another version of the library, and two of them in one process share the definitions of their messages.
// @vitest-environment-options { "process": "older-library" }
// @module-tag slow

import { join } from 'node:path'
import { useMultiFileAuthState } from 'baileys-6'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { subscribeReceiver } from '../device.ts'
import { createAccount, type MovingClient, talkAfter, talkBefore } from '../imported-account.ts'
import { findMoved, makeFolder, runMoveIn, storeInFiles } from '../move-in-program.ts'
import type { Receiver } from '../receiver.ts'
import { borrowStage } from '../scene.ts'
import type { SharedWorld } from '../world.ts'
import { OlderClient } from './older-client.ts'

let world: SharedWorld
let receiver: Receiver
const clients: OlderClient[] = []

beforeAll(async () => {
  ;({ world, receiver } = await borrowStage())
})
afterAll(() => Promise.all(clients.map((client) => client.leave())))

/** Seven messages each. */
const ROUNDS = 143
/** Four each way. */
const ROUNDS_AFTER = 25

test('moves in after a thousand messages, and the next hundred each way decrypt', {
  timeout: 600_000,
}, async () => {
  const move = await createAccount(world, { lidMigrated: false })
  const client = new OlderClient(String((await world.sim('GET', '/network')).url))
  clients.push(client)
  await world.sim('POST', `/phones/${move.number}/scan`, { qr: await client.showQr() })
  await client.waitUntilClosed()
  await client.login()
  const moving: MovingClient = {
    sendText: (to, text) => client.send(to, { text }),
    listTexts: () => client.received.map(({ text }) => text),
    end: () => client.leave(),
  }
  await talkBefore(world, moving, move, ROUNDS)
  await client.leave()
  const folder = makeFolder()
  await storeInFiles(useMultiFileAuthState, client, join(folder, 'older'))
  const { code, output } = await runMoveIn(world, folder, ['--from', `folder:${join(folder, 'older')}`])
  expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
  const device = findMoved(world, folder, 'older')
  await subscribeReceiver(device, receiver, ['messages', 'undecryptable'])
  await talkAfter(world, receiver, device, move, ROUNDS_AFTER)
})
