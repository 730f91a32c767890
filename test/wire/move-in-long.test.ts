// An account with a thousand messages behind it moves in, and the next hundred each way can be read.
// @module-tag slow

import { join } from 'node:path'
import { useMultiFileAuthState } from 'baileys'
import { expect, test } from 'vitest'
import { subscribeReceiver } from '../device.ts'
import { createAccount, talkAfter, talkBefore } from '../imported-account.ts'
import { findMoved, makeFolder, runMoveIn, storeInFiles } from '../move-in-program.ts'
import { borrowStage } from '../scene.ts'
import { linkMovingClient, toMoving } from './moving-client.ts'

/** Seven messages each. */
const ROUNDS = 143
/** Four each way. */
const ROUNDS_AFTER = 25

test('moves in after a thousand messages, and the next hundred each way decrypt', {
  timeout: 600_000,
}, async () => {
  const { world, receiver } = await borrowStage()
  const move = await createAccount(world, { lidMigrated: true })
  const client = await linkMovingClient(world, move.number)
  await talkBefore(world, toMoving(client), move, ROUNDS)
  client.end()
  const from = join(makeFolder(), 'long')
  await storeInFiles(useMultiFileAuthState, { creds: client.auth.creds, keys: client.keys }, from)
  const folder = makeFolder()
  const { code, output } = await runMoveIn(world, folder, ['--from', `folder:${from}`])
  expect([code, output]).toEqual([0, expect.stringContaining('1 moved, 0 not.')])
  const device = findMoved(world, folder, 'long')
  await subscribeReceiver(device, receiver, ['messages', 'undecryptable'])
  await talkAfter(world, receiver, device, move, ROUNDS_AFTER)
})
