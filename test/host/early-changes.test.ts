// Changes of messages that do not come: a limited number waits for them, and the newest count.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../until.ts'
import { startWorld, type World } from './world.ts'

const ANNA = '5511300000001'
const BEN = '5511300000002'
/** Of one chat. */
const MAX_WAITING = 64

let world: World
beforeAll(async () => {
  world = await startWorld()
  await world.createPhone(BEN, 'Ben')
})
afterAll(() => world.close())

test('of the changes that wait in a chat the oldest is dropped when there are too many', async () => {
  const instance = await world.linkPhone(ANNA)
  const find = async (id: string) => {
    const outcome = await world.edge.performAction(instance, 'message.find', { id, limit: 1, offset: 0 })
    return outcome.kind === 'done' ? outcome.result.messages[0] : undefined
  }
  const ids: string[] = []
  let last = ''
  for (let n = 0; n <= MAX_WAITING; n += 1) {
    const wish = { from: BEN, to: ANNA, text: `first words ${n}`, held: true }
    const { id } = await world.sim<{ id: string }>('POST', '/messages', wish)
    const edit = { by: BEN, text: `last words ${n}` }
    last = (await world.sim<{ id: string }>('POST', `/messages/${id}/edit`, edit)).id
    ids.push(id)
  }
  await until(() => find(last))
  for (const id of ids) await world.sim('POST', `/messages/${id}/deliver`)
  await until(async () => (await find(ids.at(-1) ?? ''))?.edited)
  const texts = await Promise.all(ids.map(async (id) => (await find(id))?.text))
  expect(texts).toEqual(ids.map((_, n) => (n === 0 ? 'first words 0' : `last words ${n}`)))
})
