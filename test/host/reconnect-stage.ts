// A session with a credential that is being connected, on a driver that only says when it was asked, by a clock that the test moves.

import type { Closing, Connection, ConnectionEvents, Driver } from '../../session-host/driver/driver.ts'
import { createSilentLog } from '../../session-host/host-log.ts'
import { createMetrics } from '../../session-host/host-metrics.ts'
import { createMutex } from '../../session-host/mutex.ts'
import { Reconnector } from '../../session-host/sessions/reconnect.ts'
import type { StateChange } from '../../session-host/sessions/stored-state.ts'
import { StoreFault } from '../../session-host/store/store-fault.ts'
import { SECOND } from '../../shared/date-time.ts'
import { MovableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

type Deps = ConstructorParameters<typeof Reconnector>[0]

export async function createReconnectStage() {
  const clock = new MovableClock()
  clock.holdTime()
  const sockets: { at: number; events: ConnectionEvents }[] = []
  /** When the store was asked for the credential, and whether it fails: to be read, and to be written. */
  const store = { askedAt: [] as number[], fails: false }
  const failIfBroken = () => {
    if (store.fails) throw new StoreFault('failed')
  }
  const mutex = createMutex()
  const driver = {
    async readCredentialState() {
      store.askedAt.push(clock.now())
      failIfBroken()
      return 'linked'
    },
    async connect({ events }: { events: ConnectionEvents }) {
      sockets.push({ at: clock.now(), events })
      return { close: async () => undefined } as Connection
    },
  } as unknown as Driver
  /** What the session shows. */
  const shown: Record<string, unknown> = { jid: '1@s' }
  const row = { kind: 'calls', wanted: true }
  const changeWithoutFault = async ({ wanted = row.wanted, ...change }: StateChange) => {
    row.wanted = wanted
    Object.assign(shown, change)
  }
  const changeState: typeof changeWithoutFault = async (some) => {
    failIfBroken()
    await changeWithoutFault(some)
  }
  const reconnect = new Reconnector({
    ...({
      driver,
      state: { now: shown, row, change: changeState, forceChange: changeWithoutFault },
      proxy: { readUrl: async () => undefined },
      intake: {},
      groups: {},
      calls: {},
      settings: {},
    } as unknown as Deps),
    instance: crypto.randomUUID(),
    clock,
    mutex,
    lease: { runs: true },
    metrics: createMetrics(),
    log: createSilentLog(),
    deleteKeys: async () => failIfBroken(),
  })
  /** Whatever was told has been heard. */
  const waitForTurn = () => mutex(async () => undefined)
  const beginConnecting = () => mutex(() => reconnect.connect())
  await beginConnecting()
  const closeSocket = async (kind: Closing['kind']) => {
    sockets.at(-1)?.events.onClosed({ kind, code: 515, message: '' })
    await waitForTurn()
  }
  return {
    clock,
    sockets,
    store,
    shown,
    waitForTurn,
    beginConnecting,
    /** The socket that is open gives way to a new one. */
    restart: () =>
      mutex(async () => {
        await reconnect.stop()
        await reconnect.connect()
      }),
    /** The newest socket ends, and that is heard. */
    closeSocket,
    /** The newest socket ends; answers how long it was until the next. */
    async endAndWait(kind: Closing['kind']): Promise<number> {
      const ended = clock.now()
      const count = sockets.length
      await closeSocket(kind)
      await clock.moveTime(2 * SECOND)
      await until(() => sockets.length > count)
      return Math.round((sockets.at(-1)?.at ?? 0) - ended)
    },
  }
}
