// Which acts with an unknown outcome the journal stores, and for how long.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Journal } from '@msgnet/session-host/store/act-journal.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { deleteOldMessages } from '@msgnet/session-host/store/retention.ts'
import { claimSession, deleteInstance } from '@msgnet/session-host/store/session-store.ts'
import { DAY, HOUR } from '@msgnet/shared/date-time.ts'
import { createUnknownOutcome } from '@msgnet/shared/wire/outcome.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'

const dataDir = mkdtempSync(join(tmpdir(), 'journal-'))
let store: FencedStore

beforeAll(async () => {
  store = new FencedStore(await openStore(join(dataDir, 'host.db'), () => undefined), { runs: true }, '')
})
afterAll(async () => {
  await store.close()
  rmSync(dataDir, { recursive: true, force: true })
})

/** An act that has sent a message, with an unknown outcome. */
async function openWithUnknown({ action = 'message.sendText', isMessage = true } = {}) {
  const instance = crypto.randomUUID()
  const id = crypto.randomUUID()
  await claimSession(store, { instance, epoch: 1, kind: 'msgnet' })
  const journal = new Journal(store)
  await journal.openAct({ id, instance, action, messageid: isMessage ? `M-${id}` : '' }, true)
  await journal.storeOutcome({ id, instance }, createUnknownOutcome())
  return { instance, seen: () => journal.deleteSeen([id]), row: () => journal.findAct(id) }
}

test('an unknown outcome that the edge has seen stays: it may still be resolved', async () => {
  const { seen, row } = await openWithUnknown()
  await seen()
  expect(await row()).toMatchObject({ seen: true })
})

test('an unknown outcome that nothing will resolve stays too: without its row the act would count as never started', async () => {
  const { seen, row } = await openWithUnknown({ action: 'group.setName', isMessage: false })
  await seen()
  expect(await row()).toMatchObject({ seen: true, outcome: { kind: 'unknown' } })
})

test.each(['before', 'after'])(
  'an outcome is deleted with its instance, %s the edge has seen it',
  async (when) => {
    const { instance, seen, row } = await openWithUnknown()
    const forgetAll = () => store.commitFor(instance, deleteInstance(store, instance))
    for (const step of when === 'before' ? [forgetAll, seen] : [seen, forgetAll]) await step()
    expect(await row()).toBeUndefined()
  },
)

test('an outcome is deleted after a day, without a restart of the host', async () => {
  const { seen, row } = await openWithUnknown()
  await seen()
  await deleteOldMessages(store, Date.now() + DAY - HOUR)
  expect(await row()).toBeDefined()
  await deleteOldMessages(store, Date.now() + DAY + HOUR)
  expect(await row()).toBeUndefined()
})

test('an outcome that the edge has not seen is reported at any age', async () => {
  const { row } = await openWithUnknown()
  await deleteOldMessages(store, Date.now() + 2 * DAY)
  expect(await row()).toMatchObject({ seen: false })
})
