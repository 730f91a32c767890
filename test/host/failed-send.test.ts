// A send that fails with our own store after its message was stored: the message says that it failed.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findMessages } from './history-stage.ts'
import { createTextInput, startWorld, type World } from './world.ts'

const ANNA = '5511690000001'
const BEN = '5511690000002'
let world: World
let instance: string

beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
  instance = await world.linkPhone(ANNA)
  await world.edge.performAction(instance, 'contact.add', { phone: BEN, name: 'Ben' })
})
afterAll(() => world.close())

async function queryStore(sql: string): Promise<void> {
  const client = createClient({ url: pathToFileURL(join(world.dataDir, 'host', 'host.db')).href })
  await client.execute(sql)
  client.close()
}

test('a message whose send throws before anything has left is failed, not pending for ever', async () => {
  const { text, messageid } = createTextInput('', 'seen by nobody')
  const status = { type: 'text', font: 0, text, messageid, parcel: '', mimetype: '' } as const
  // The audience of a status post is read after the post is stored.
  await queryStore('ALTER TABLE contacts RENAME TO hidden')
  const outcome = await world.edge.performAction(instance, 'message.sendStatus', status)
  await queryStore('ALTER TABLE hidden RENAME TO contacts')
  expect(outcome).toMatchObject({ kind: 'refused', fault: 'storage_unavailable' })
  const [found] = await findMessages(world, instance, { id: messageid })
  expect(found).toMatchObject({ messageid, status: 'Failed', error: 'msgnet_unreachable' })
})
