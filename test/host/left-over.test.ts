// What a session still has to ask for or to report when the store of its host fails: it goes on when the store is back.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Connection } from '@msgnet/session-host/driver/driver.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { StoreFault } from '@msgnet/session-host/process/store-fault.ts'
import type { Intake } from '@msgnet/session-host/sessions/intake.ts'
import type { Batch } from '@msgnet/session-host/sessions/intake-batch.ts'
import { LateMessages } from '@msgnet/session-host/sessions/late-messages.ts'
import { LostMessages } from '@msgnet/session-host/sessions/lost-messages.ts'
import type { StoredState } from '@msgnet/session-host/sessions/stored-state.ts'
import type { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { addLost } from '@msgnet/session-host/store/lost-store.ts'
import { MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { expect, onTestFinished, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

const BEN = '5511911111111@s.msgnet.net'

test('messages that the store did not let be asked for are asked for when it is back, each once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lost-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const clock = new MovableClock()
  clock.holdTime()
  let fails = true
  let commits = 0
  const watched = {
    db: store.db,
    async commitFor(_: string, statements: Parameters<typeof store.commit>[0]) {
      commits += 1
      if (fails) throw new StoreFault('unreachable')
      await store.commit(statements)
    },
  } as unknown as FencedStore
  const row = { instance: 'instance', chatid: BEN, sender: BEN, at: Date.now(), dueAt: Date.now() }
  await store.commit(['ONE', 'TWO'].map((id) => addLost(store, { ...row, name: id, messageid: id })))
  const state = { row, now: { jid: '', lid: '' } } as unknown as StoredState
  const lost = new LostMessages({ store: watched, clock, log: createSilentLog() }, state)
  const asked: string[] = []
  const connection = {
    async requestResend({ messageid }: { messageid: string }) {
      asked.push(messageid)
      return { kind: 'done' }
    },
  } as unknown as Connection
  await lost.load()
  lost.handleLogin(connection)
  await clock.moveTime(10 * SECOND)
  await until(() => commits > 0)
  await turn()
  expect(asked).toEqual([])
  fails = false
  await clock.moveTime(10 * SECOND)
  await until(() => asked.length === 2)
  await clock.moveTime(10 * SECOND)
  expect(asked).toEqual(['ONE', 'TWO'])
})

test('late messages that the store did not let be reported are reported when it is back', async () => {
  const clock = new MovableClock()
  clock.holdTime()
  let fails = true
  const attempts: string[] = []
  const intake = {
    async runInBatch() {
      attempts.push(fails ? 'failed' : 'reported')
      if (fails) throw new StoreFault('unreachable')
      return 0
    },
  } as unknown as Intake
  const outbox = { waitForRoom: async () => undefined }
  const deps = { store: {}, outbox, clock, log: createSilentLog() }
  const state = { row: { instance: 'instance' }, gaps: [] } as unknown as StoredState
  const late = new LateMessages(
    deps as unknown as ConstructorParameters<typeof LateMessages>[0],
    state,
    intake,
  )
  late.start()
  await until(() => attempts.length === 1)
  await turn()
  await clock.moveTime(MINUTE)
  fails = false
  await clock.moveTime(10 * MINUTE)
  await until(() => attempts.includes('reported'))
  const count = attempts.length
  await clock.moveTime(10 * MINUTE)
  expect(attempts).toHaveLength(count)
})

test('each undecryptable message is asked for ten seconds after its own event', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'lost-'))
  const store = await openStore(join(folder, 'host.db'), () => undefined)
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const clock = new MovableClock()
  clock.holdTime()
  const state = { row: { instance: 'instance' }, now: { jid: '', lid: '' } } as unknown as StoredState
  const fenced = store as unknown as FencedStore
  const lost = new LostMessages({ store: fenced, clock, log: createSilentLog() }, state)
  const asked: string[] = []
  const connection = {
    async requestResend({ messageid }: { messageid: string }) {
      asked.push(messageid)
      return { kind: 'done' }
    },
  } as unknown as Connection
  lost.handleLogin(connection)
  const report = (messageid: string) => {
    const batch = { addStatement: () => undefined, onCommitted: (work: () => void) => work() }
    lost.add(batch as unknown as Batch, messageid, { messageid, chatid: BEN, sender: BEN })
  }
  report('ONE')
  await clock.moveTime(9 * SECOND)
  report('TWO')
  await clock.moveTime(SECOND)
  await until(() => asked.length > 0)
  await turn()
  expect(asked).toEqual(['ONE'])
  // The machine's clock, which both times are read of, counts whole milliseconds: the pause may be one longer.
  await clock.moveTime(9 * SECOND + 10)
  await until(() => asked.length === 2)
  expect(asked).toEqual(['ONE', 'TWO'])
})
