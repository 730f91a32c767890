// An act of a caller who may see some chats only, while the store cannot say under which ids those are known.

import { PERSON_SUFFIX } from '@msgnet/shared/jid.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { breakStore } from '../journey/endings/broken-store.ts'
import { until } from '../until.ts'
import { createTextInput, startWorld, type World } from './world.ts'

const ANNA = '5511388000001'
const BEN = '5511388000002'
const chats = [`${BEN}${PERSON_SUFFIX}`]
const unavailable = { kind: 'refused', fault: 'storage_unavailable' }

let world: World
let instance: string
let mend: () => void

beforeAll(async () => {
  world = await startWorld()
  instance = await world.linkPhone(ANNA)
  await world.createPhone(BEN)
  mend = breakStore(world.dataDir, ['contacts'])
})
afterAll(async () => {
  mend()
  await world.close()
})

test('a read for some chats is refused while the other ids of people cannot be read', async () => {
  const query = { limit: 1, offset: 0 }
  expect(await world.edge.performAction(instance, 'message.find', query, { chats })).toMatchObject(
    unavailable,
  )
})

test('a send for some chats is refused then too, and the journal has that outcome', async () => {
  const id = crypto.randomUUID()
  world.edge.seeing = false
  const text = createTextInput(BEN, 'hello')
  expect(await world.edge.performAction(instance, 'message.sendText', text, { chats, id })).toMatchObject(
    unavailable,
  )
  const listOutcomes = () => world.edge.frames.filter((frame) => frame.t === 'outcome' && frame.id === id)
  world.edge.sendFrames({ t: 'what', id })
  await until(() => listOutcomes().length === 2)
  expect(listOutcomes().at(-1)).toMatchObject({ outcome: unavailable })
})
