// What the store did not take: a login that it did not take moves no coverage, and late messages are reported with the next login.

import { setImmediate as turn } from 'node:timers/promises'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { StoreFault } from '@msgnet/session-host/process/store-fault.ts'
import { LateMessages } from '@msgnet/session-host/sessions/late-messages.ts'
import { SessionCoverage } from '@msgnet/session-host/sessions/session-coverage.ts'
import { expect, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

type Parts = ConstructorParameters<typeof LateMessages>

test('the coverage of a session does not move after a login that the store did not take', async () => {
  const moved: unknown[] = []
  const coverage = { account: '1@s', since: 1, until: 2, isMoving: false, isNewDevice: false }
  const state = {
    row: { coverage },
    now: { loggedIn: false },
    change: async (one: unknown) => moved.push(one),
  }
  const session = new SessionCoverage({} as never, state as never)
  await session.handleCaughtUp()
  expect(moved).toEqual([])
  state.now.loggedIn = true
  await session.handleCaughtUp()
  expect(moved).toEqual([{ coverage: { ...coverage, isMoving: true } }])
})

test('late messages that the store did not take are reported with the next login', async () => {
  let attempts = 0
  const runInBatch = async () => {
    attempts += 1
    if (attempts === 1) throw new StoreFault('failed')
    return 0
  }
  const deps = {
    outbox: { waitForRoom: async () => undefined },
    clock: new MovableClock(),
    log: createSilentLog(),
  }
  const state = { gaps: [], row: { instance: 'one' } }
  const late = new LateMessages(
    deps as unknown as Parts[0],
    state as unknown as Parts[1],
    {
      runInBatch,
    } as unknown as Parts[2],
  )
  late.start()
  await until(() => attempts === 1)
  await turn()
  late.handleEnd()
  late.handleLogin()
  await until(() => attempts === 2)
})
