// A lease that ends and comes back twice while a session is busy: it is connected under the last one.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Connection } from '@msgnet/session-host/driver/driver.ts'
import { Metrics } from '@msgnet/session-host/metrics/host-metrics.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { Outbox } from '@msgnet/session-host/reports/outbox.ts'
import { Session } from '@msgnet/session-host/sessions/host-session.ts'
import { FencedStore } from '@msgnet/session-host/store/fenced-store.ts'
import { openStore } from '@msgnet/session-host/store/host-store.ts'
import { claimSession } from '@msgnet/session-host/store/session-store.ts'
import { expect, onTestFinished, test } from 'vitest'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

type Deps = ConstructorParameters<typeof Session>[0]

/** A linked session on a store of its own and a driver that only counts connections. Its proxy is sealed when the test says so. */
async function createStage() {
  const folder = mkdtempSync(join(tmpdir(), 'lease-'))
  const lease = { runs: true }
  const log = createSilentLog()
  const store = new FencedStore(await openStore(join(folder, 'host.db'), () => undefined), lease, '')
  onTestFinished(async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  })
  const instance = crypto.randomUUID()
  const row = await claimSession(store, { instance, epoch: 1, kind: 'msgnet' })
  if (!row) throw new Error('another host has the instance')
  const sealed = Promise.withResolvers<Uint8Array>()
  let connections = 0
  const deps = {
    store,
    lease,
    log,
    clock: new MovableClock(),
    outbox: new Outbox(store, log),
    metrics: new Metrics(),
    storedMedia: { isOn: false },
    sealer: { seal: () => sealed.promise },
    driver: {
      readCredentialState: async () => 'linked',
      async connect() {
        connections += 1
        return { close: async () => undefined } as Connection
      },
    },
  } as unknown as Deps
  const session = new Session(deps, { ...row, wanted: true, jid: '1@s', rev: 1 }, (open) => open())
  return {
    session,
    lease,
    seal: () => sealed.resolve(new Uint8Array([1])),
    countConnections: () => connections,
  }
}

test('a session that was busy while the lease came and went is connected when it has come back', async () => {
  const { session, lease, seal, countConnections } = await createStage()
  await session.resume()
  expect(countConnections()).toBe(1)
  // It is busy with this all the time.
  const stored = session.storeProxy('http://proxy.example:8080').catch(() => undefined)
  const endLease = () => {
    lease.runs = false
    return session.suspend()
  }
  const resumeWithLease = () => {
    lease.runs = true
    return session.resume().catch(() => undefined)
  }
  const changes = [endLease(), resumeWithLease(), endLease()]
  seal()
  await Promise.all([stored, ...changes])
  await resumeWithLease()
  await until(() => countConnections() > 1)
})
