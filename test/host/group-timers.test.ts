// The timer of a group changes while a message is sent there: what is sent later disappears as the group says now.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkGroup } from '@msgnet/session-host/driver/driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { createMutex } from '@msgnet/session-host/process/mutex.ts'
import type { Intake } from '@msgnet/session-host/sessions/intake.ts'
import { Groups } from '@msgnet/session-host/sessions/session-groups.ts'
import type { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import type { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { DAY, HOUR, SECOND } from '@msgnet/shared/date-time.ts'
import { expect, onTestFinished, test } from 'vitest'

const GROUP = '120363000000000001@g.us'
const [A_DAY, AN_HOUR] = [DAY / SECOND, HOUR / SECOND]

const group: NetworkGroup = {
  jid: GROUP,
  owner: { id: '', pn: '', lid: '' },
  subject: 'all',
  topic: '',
  created: 1,
  locked: false,
  announce: false,
  ephemeral: A_DAY,
  joinApproval: false,
  memberAddMode: 'all_member_add',
  addressing: 'pn',
  members: [],
}

/** The groups of an instance. `holdCommit` holds the next commit back until the returned function is called. */
async function createGroups() {
  const folder = mkdtempSync(join(tmpdir(), 'timers-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  let gate = Promise.resolve()
  const watched = {
    db: store.db,
    async commitFor(_: string, statements: Parameters<typeof store.commit>[0]) {
      await gate
      await store.commit(statements)
    },
  } as unknown as FencedStore
  const state = { now: { jid: '', lid: '' }, row: { instance: 'instance' } } as StoredState
  const inTurn = { runInBatch: createMutex() } as unknown as Intake
  const groups = new Groups({ store: watched, log: createSilentLog() }, state, inTurn)
  const holdCommit = () => {
    const held = Promise.withResolvers<void>()
    gate = held.promise
    return held.resolve
  }
  return { groups, holdCommit }
}

test('a timer that is read while its change is being stored is not the one of later messages', async () => {
  const { groups, holdCommit } = await createGroups()
  await groups.storeGroup(group)
  const release = holdCommit()
  const changed = groups.storeGroup({ ...group, ephemeral: AN_HOUR })
  expect(await groups.findTimer(GROUP)).toBe(A_DAY)
  release()
  await changed
  expect(await groups.findTimer(GROUP)).toBe(AN_HOUR)
})

test('a timer whose reading ends after its change was stored is not the one of later messages', async () => {
  const { groups } = await createGroups()
  await groups.storeGroup(group)
  const read = groups.findTimer(GROUP)
  await Promise.all([read, groups.storeGroup({ ...group, ephemeral: AN_HOUR })])
  expect(await groups.findTimer(GROUP)).toBe(AN_HOUR)
})
