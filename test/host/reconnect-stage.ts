// A session that connects with its credential, on a driver that only records calls, by a clock that the test moves.

import type { Closing, Connection, ConnectionEvents } from '@msgnet/session-host/driver/driver.ts'
import { Metrics } from '@msgnet/session-host/metrics/host-metrics.ts'
import { createSilentLog } from '@msgnet/session-host/process/host-log.ts'
import { createMutex } from '@msgnet/session-host/process/mutex.ts'
import { StoreFault } from '@msgnet/session-host/process/store-fault.ts'
import { Reconnector } from '@msgnet/session-host/sessions/reconnect.ts'
import type { StateChange } from '@msgnet/session-host/sessions/stored-state.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

type Deps = ConstructorParameters<typeof Reconnector>[0]

interface FakeSocket {
  at: number
  events: ConnectionEvents
}

/** A store that a test can make fail, for reads and for writes. */
class FakeStore {
  /** The times at which the credential was read. */
  readonly askedAt: number[] = []
  fails = false
  /** The driver has a fault in its code. */
  breaksDriver = false

  failIfBroken(): void {
    if (this.fails) throw new StoreFault('failed')
  }
}

const createDriver = (clock: MovableClock, store: FakeStore, sockets: FakeSocket[]) => ({
  async readCredentialState() {
    store.askedAt.push(clock.now())
    store.failIfBroken()
    return 'linked'
  },
  async connect({ events }: { events: ConnectionEvents }) {
    if (store.breaksDriver) throw new TypeError('the driver is broken')
    sockets.push({ at: clock.now(), events })
    return { close: async () => undefined } as Connection
  },
})

/** `shown` is what the session shows. */
function createState(shown: Record<string, unknown>, store: FakeStore) {
  const row = { kind: 'calls', wanted: true }
  const forceChange = async ({ wanted = row.wanted, ...change }: StateChange) => {
    row.wanted = wanted
    Object.assign(shown, change)
  }
  const change = async (some: StateChange) => {
    store.failIfBroken()
    await forceChange(some)
  }
  return { now: shown, row, change, forceChange }
}

export async function createReconnectStage() {
  const clock = new MovableClock()
  clock.holdTime()
  const sockets: FakeSocket[] = []
  const store = new FakeStore()
  const shown: Record<string, unknown> = { jid: '1@s' }
  const mutex = createMutex()
  const reconnector = new Reconnector({
    news: {},
    listeners: [],
    getHistoryMode: () => 'none',
    driver: createDriver(clock, store, sockets),
    state: createState(shown, store),
    proxy: { readUrl: async () => undefined },
    instance: crypto.randomUUID(),
    clock,
    mutex,
    lease: { runs: true },
    metrics: new Metrics(),
    log: createSilentLog(),
    deleteKeys: async () => store.failIfBroken(),
  } as unknown as Deps)
  /** Resolves when every event before it was handled. */
  const waitForTurn = () => mutex(async () => undefined)
  const beginConnecting = () => mutex(() => reconnector.connect())
  await beginConnecting()
  /** The newest socket ends, and the session has handled that. */
  const closeSocket = async (kind: Closing['kind']) => {
    sockets.at(-1)?.events.onClosed({ kind, code: 515, message: '' })
    await waitForTurn()
  }
  /** A new socket replaces the open one. */
  const restart = () =>
    mutex(async () => {
      await reconnector.stop()
      await reconnector.connect()
    })
  /** The newest socket ends; returns the milliseconds until the next. */
  const endAndWait = async (kind: Closing['kind']): Promise<number> => {
    const ended = clock.now()
    const count = sockets.length
    await closeSocket(kind)
    await clock.moveTime(2 * SECOND)
    await until(() => sockets.length > count)
    return Math.round((sockets.at(-1)?.at ?? 0) - ended)
  }
  const hasObstacle = () => reconnector.obstacle !== undefined
  const acts = { waitForTurn, beginConnecting, restart, closeSocket, endAndWait }
  return { clock, sockets, store, shown, hasObstacle, ...acts }
}
