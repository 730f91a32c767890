// What the journal keeps of acts whose outcome is not known, and for how long.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FencedStore, fenceStore } from '../../session-host/store/fencing.ts'
import { makeJournal } from '../../session-host/store/journal.ts'
import { forgetOldMessages } from '../../session-host/store/retention.ts'
import { claimSession, forgetInstance } from '../../session-host/store/sessions.ts'
import { openStore } from '../../session-host/store/store.ts'
import { DAY, HOUR } from '../../shared/clock.ts'
import { unknown } from '../../shared/wire/outcome.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'journal-'))
let store: FencedStore

beforeAll(async () => {
  store = fenceStore(await openStore(join(dataDir, 'host.db'), () => undefined), { runs: true }, '')
})
afterAll(async () => {
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** An act that has sent a message, and nobody knows how that ended. */
async function withUnknown() {
  const instance = crypto.randomUUID()
  const id = crypto.randomUUID()
  await claimSession(store, { instance, epoch: 1, kind: 'msgnet' })
  const journal = makeJournal(store)
  await journal.open({ id, instance, action: 'message.sendText', messageid: `M-${id}` })
  await journal.settle({ id, instance }, unknown())
  return { instance, seen: () => journal.forget([id]), row: () => journal.find(id) }
}

test('an unknown outcome that the edge has seen is kept: it may still become known', async () => {
  const { seen, row } = await withUnknown()
  await seen()
  expect(await row()).toMatchObject({ seen: true })
})

test.each(['before', 'after'])('it goes with its instance, deleted %s the edge has seen it', async (when) => {
  const { instance, seen, row } = await withUnknown()
  const forget = () => store.commitFor(instance, forgetInstance(store, instance))
  for (const step of when === 'before' ? [forget, seen] : [seen, forget]) await step()
  expect(await row()).toBeUndefined()
})

test('it is kept a day, and no start of the host is needed for it to go', async () => {
  const { seen, row } = await withUnknown()
  await seen()
  await forgetOldMessages(store, Date.now() + DAY - HOUR)
  expect(await row()).toBeDefined()
  await forgetOldMessages(store, Date.now() + DAY + HOUR)
  expect(await row()).toBeUndefined()
})

test('one that the edge has not seen is told however old it is', async () => {
  const { row } = await withUnknown()
  await forgetOldMessages(store, Date.now() + 2 * DAY)
  expect(await row()).toMatchObject({ seen: false })
})
