// Labels whose ids another program has chosen.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createClient } from '@libsql/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWorld, type World } from './world.ts'

let world: World

beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world.close())

test('a new label gets a number beside labels whose ids are no numbers', async () => {
  const instance = await world.linkPhone('5511690000011')
  const create = (name: string) =>
    world.edge.performAction(instance, 'label.edit', { labelid: 'new', name, delete: false })
  expect(await create('First')).toMatchObject({ kind: 'done', result: { response: 'Label 1 saved' } })
  const client = createClient({ url: pathToFileURL(join(world.dataDir, 'host', 'host.db')).href })
  await client.execute("UPDATE labels SET labelid = 'vip'")
  client.close()
  expect(await create('Second')).toMatchObject({ kind: 'done', result: { response: 'Label 1 saved' } })
})
