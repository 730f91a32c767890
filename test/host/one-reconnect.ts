// A session with a credential that is being connected, on a driver that only says when it was asked, by a clock that the test moves.

import type { Closing, Connection, ConnectionEvents, Driver } from '../../session-host/driver/driver.ts'
import { silentLog } from '../../session-host/log.ts'
import { makeMetrics } from '../../session-host/metrics.ts'
import { makeMutex } from '../../session-host/mutex.ts'
import type { StateChange } from '../../session-host/sessions/kept-state.ts'
import { makeReconnect } from '../../session-host/sessions/reconnect.ts'
import { StoreFault } from '../../session-host/store/fault.ts'
import { SECOND } from '../../shared/clock.ts'
import { movableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

type Deps = Parameters<typeof makeReconnect>[0]

export async function oneReconnect() {
  const clock = movableClock()
  clock.hold()
  const sockets: { at: number; events: ConnectionEvents }[] = []
  /** When the store was asked for the credential, and whether it fails: to be read, and to be written. */
  const store = { askedAt: [] as number[], fails: false }
  const answers = () => {
    if (store.fails) throw new StoreFault('failed')
  }
  const mutex = makeMutex()
  const driver = {
    async credential() {
      store.askedAt.push(clock.now())
      answers()
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
  const changeAnyway = async ({ wanted = row.wanted, ...change }: StateChange) => {
    row.wanted = wanted
    Object.assign(shown, change)
  }
  const change: typeof changeAnyway = async (some) => {
    answers()
    await changeAnyway(some)
  }
  const reconnect = makeReconnect({
    ...({
      driver,
      state: { now: shown, row, change, changeAnyway },
      proxy: { now: async () => undefined },
      intake: {},
      groups: {},
      calls: {},
      settings: {},
    } as unknown as Deps),
    ...{ instance: crypto.randomUUID(), clock, mutex, lease: { runs: true } },
    ...{ metrics: makeMetrics(), log: silentLog() },
    forgetKeys: async () => answers(),
  })
  /** Whatever was told has been heard. */
  const heard = () => mutex(async () => undefined)
  const begin = () => mutex(() => reconnect.begin())
  await begin()
  const close = async (kind: Closing['kind']) => {
    sockets.at(-1)?.events.closed({ kind, code: 515, message: '' })
    await heard()
  }
  return {
    ...{ clock, sockets, store, shown, heard, begin },
    /** The socket that is open gives way to a new one. */
    restart: () =>
      mutex(async () => {
        await reconnect.end()
        await reconnect.begin()
      }),
    /** The newest socket ends, and that is heard. */
    close,
    /** The newest socket ends; answers how long it was until the next. */
    async end(kind: Closing['kind']): Promise<number> {
      const ended = clock.now()
      const count = sockets.length
      await close(kind)
      await clock.move(2 * SECOND)
      await until(() => sockets.length > count)
      return Math.round((sockets.at(-1)?.at ?? 0) - ended)
    },
  }
}
