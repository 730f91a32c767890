// What a session changes and what the network reports at the same time: stored in their order, so that none undoes a later one.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NetworkGroup } from '@msgnet/session-host/driver/driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { createMutex } from '@msgnet/session-host/process/mutex.ts'
import { emptyChange } from '@msgnet/session-host/sessions/group-changes.ts'
import type { Intake } from '@msgnet/session-host/sessions/intake.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import { SessionCalls } from '@msgnet/session-host/sessions/session-calls.ts'
import { Groups } from '@msgnet/session-host/sessions/session-groups.ts'
import { Settings } from '@msgnet/session-host/sessions/session-settings.ts'
import type { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import type { SessionRow } from '@msgnet/session-host/store/session-store.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { expect, onTestFinished, test } from 'vitest'

const INSTANCE = 'instance'
const JID = '120363000000000001@g.us'
const BEN = '5511911111111@s.msgnet.net'

const createMember = (name: string) => {
  const ids = { id: `${name}@lid`, pn: `${name}@s.msgnet.net`, lid: `${name}@lid` }
  return { ...ids, role: 'member' as const, name: '', error: 0 }
}

const group: NetworkGroup = {
  jid: JID,
  owner: createMember('anna'),
  subject: 'At first',
  topic: '',
  created: 0,
  locked: false,
  announce: false,
  ephemeral: 0,
  joinApproval: false,
  memberAddMode: 'admin_add',
  addressing: 'lid',
  members: [createMember('anna')],
}

/** The parts of a session on a store of their own, with what it does in turn; `events` are those that were reported. */
async function createStage() {
  const folder = mkdtempSync(join(tmpdir(), 'own-'))
  const store = new FencedStore(await openStore(join(folder, 'host.db'), () => undefined), { runs: true }, '')
  store.setEpoch(INSTANCE, 1)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const runExclusively = createMutex()
  const events: { payload: Record<string, unknown> }[] = []
  const runInBatch = (work: (batch: Batch) => Promise<void>) =>
    runExclusively(async () => {
      const statements: Statement[] = []
      const batch = {
        addStatement: (one: Statement) => void statements.push(one),
        addEvents: (...some: typeof events) => void events.push(...some),
      }
      await work(batch as unknown as Batch)
      await store.commitFor(INSTANCE, statements)
    })
  const enqueue = (work: (batch: Batch) => Promise<void>) => void runInBatch(work)
  const usernames = { addTo: () => undefined, clear: () => undefined }
  const timers = { clear: () => undefined }
  const limits = { deleteAll: async () => undefined }
  const intake = { runInBatch, enqueue, usernames, timers, limits } as unknown as Intake
  const row = { instance: INSTANCE, kind: 'calls' } as SessionRow
  const state = { row, now: { jid: 'me@s.msgnet.net', lid: 'me@lid' } } as unknown as StoredState
  const deps = { store, log: createSilentLog() }
  return {
    store,
    events,
    groups: new Groups(deps, state, intake),
    settings: new Settings(deps, state, intake),
    calls: new SessionCalls(store, row, intake),
    /** What is reported now waits until the returned function is called. */
    holdIntake() {
      const held = Promise.withResolvers<void>()
      void runInBatch(() => held.promise)
      return held.resolve
    },
    waitForIntake: () => runInBatch(async () => undefined),
  }
}

test('of two members who are added at once both are stored', async () => {
  const { groups } = await createStage()
  await groups.storeGroup(group)
  await Promise.all(
    ['ben', 'carla'].map((name) =>
      groups.applyChange({ ...emptyChange, jid: JID, joined: [createMember(name)] }),
    ),
  )
  const { members = [] } = (await groups.findGroup(JID)) ?? {}
  expect(members.map(({ id }) => id)).toEqual(['anna@lid', 'ben@lid', 'carla@lid'])
})

test('what the network reported of a group before an own change of it does not undo that', async () => {
  const { groups, holdIntake, waitForIntake } = await createStage()
  await groups.storeGroup(group)
  const release = holdIntake()
  groups.handleChange({ ...emptyChange, jid: JID, settings: { subject: 'By a member' } })
  const changed = groups.applyChange({ ...emptyChange, jid: JID, settings: { subject: 'By us' } })
  release()
  await changed
  await waitForIntake()
  expect(await groups.findGroup(JID)).toMatchObject({ subject: 'By us' })
})

test('what the phone set in a chat before an own change of it does not undo that', async () => {
  const { store, settings, holdIntake, waitForIntake } = await createStage()
  const chat = { id: BEN, pn: BEN, lid: '' }
  const release = holdIntake()
  settings.handleChanges([{ kind: 'chat', chat, pinned: true }])
  const changed = settings.applyChanges({ kind: 'chat', chat, pinned: false })
  release()
  await changed
  await waitForIntake()
  const rows = await store.rows('SELECT chatid, pinned FROM chat_settings')
  expect(rows.map(({ chatid, pinned }) => [chatid, pinned])).toEqual([[BEN, 0]])
})

test('what was reported of an account before it was unlinked is not stored for the next one', async () => {
  const { store, groups, settings, holdIntake, waitForIntake } = await createStage()
  const person = { id: BEN, pn: BEN, lid: '' }
  const release = holdIntake()
  settings.handleChanges([{ kind: 'contact', person, name: 'Ben', firstName: 'Ben' }])
  groups.handleJoin(group, createMember('anna'))
  const deleted = Promise.all([groups.deleteAll(), settings.deleteAll()])
  release()
  await deleted
  await waitForIntake()
  expect(await store.rows('SELECT jid FROM contacts UNION SELECT jid FROM groups')).toEqual([])
})

test('a call that the network reports again after its end does not ring once more', async () => {
  const { calls, events, waitForIntake } = await createStage()
  const creator = { id: BEN, pn: BEN, lid: '' }
  const call = { callid: 'CALL', creator, group: '', isVideo: false, isGroup: false, at: Date.now() }
  for (const state of ['offer', 'ringing', 'terminate', 'offer', 'ringing', 'terminate'] as const)
    calls.handleCall({ ...call, state })
  await waitForIntake()
  expect(events.map(({ payload }) => (payload.event as { State: string }).State)).toEqual([
    'offer',
    'ringing',
    'terminate',
  ])
})
