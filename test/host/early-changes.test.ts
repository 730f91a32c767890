// Changes of messages that do not come: a limited number waits for them, and the newest count.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EarlyChanges } from '@msgnet/session-host/sessions/early-changes.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import type { MessageRow } from '@msgnet/session-host/store/message-store.ts'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
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

test('what one batch brings is limited too, and changes in other chats stay', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'early-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const statements: Parameters<typeof store.commit>[0] = []
  const committed: (() => void)[] = []
  const batch = {
    addStatement: (one: (typeof statements)[number]) => void statements.push(one),
    onCommitted: (callback: () => void) => void committed.push(callback),
  } as unknown as Batch
  const early = new EarlyChanges(store, 'instance')
  const add = (chatid: string, name: string) => {
    const record = { reaction: `target of ${name}`, edited: '', content: {} }
    return early.add(batch, { messageid: name, chatid, record } as unknown as MessageRow)
  }
  const many = Array.from({ length: 10 * MAX_WAITING }, (_, n) => `stranger ${n}`)
  await add(BEN, 'friend')
  for (const name of many) await add('stranger', name)
  await store.commit(statements)
  for (const callback of committed) callback()
  const stored = await store.rows('SELECT messageid FROM early_changes ORDER BY rowid')
  expect(stored.map(({ messageid }) => messageid)).toEqual(['friend', ...many.slice(-MAX_WAITING)])
  const listed = await Promise.all(many.map((name) => early.list(`target of ${name}`)))
  expect(listed.flat()).toEqual(many.slice(-MAX_WAITING))
})
