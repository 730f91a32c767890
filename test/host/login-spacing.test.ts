// How far apart the sockets of one session are, by a clock that the test moves.

import { expect, test } from 'vitest'
import type { Closing, Connection, ConnectionEvents, Driver } from '../../session-host/driver/driver.ts'
import { silentLog } from '../../session-host/log.ts'
import { makeMutex } from '../../session-host/mutex.ts'
import { makeReconnect } from '../../session-host/sessions/reconnect.ts'
import { SECOND } from '../../shared/clock.ts'
import { movableClock } from '../movable-clock.ts'
import { until } from '../until.ts'

type Deps = Parameters<typeof makeReconnect>[0]

/** A session with a credential that is being connected, on a driver that only says when it was asked. */
async function session() {
  const clock = movableClock()
  clock.hold()
  const sockets: { at: number; events: ConnectionEvents }[] = []
  const mutex = makeMutex()
  const driver = {
    credential: async () => 'linked',
    async connect({ events }: { events: ConnectionEvents }) {
      sockets.push({ at: clock.now(), events })
      return { close: async () => undefined } as Connection
    },
  } as unknown as Driver
  const kept = async () => undefined
  const state = {
    now: { jid: '1@s' },
    row: { kind: 'calls', wanted: true },
    change: kept,
    changeAnyway: kept,
  }
  const reconnect = makeReconnect({
    ...({
      driver,
      state,
      proxy: { now: kept },
      intake: {},
      groups: {},
      calls: {},
      settings: {},
    } as unknown as Deps),
    ...{ instance: crypto.randomUUID(), clock, mutex, lease: { runs: true } },
    ...{ reconnects: () => undefined, log: silentLog() },
  })
  await mutex(() => reconnect.begin())
  return {
    ...{ clock, sockets },
    /** Whatever was told has been heard. */
    heard: () => mutex(async () => undefined),
    /** The newest socket ends; answers how long it was until the next. */
    async end(kind: Closing['kind']): Promise<number> {
      const ended = clock.now()
      const count = sockets.length
      sockets.at(-1)?.events.closed({ kind, code: 515, message: '' })
      await mutex(async () => undefined)
      await clock.move(2 * SECOND)
      await until(() => sockets.length > count)
      return Math.round((sockets.at(-1)?.at ?? 0) - ended)
    },
  }
}

test('after a socket that was open for a while the next follows at once', async () => {
  const { clock, sockets, heard, end } = await session()
  sockets[0]?.events.open({ jid: '1@s', lid: '', profileName: '' })
  await heard()
  await clock.move(3 * SECOND)
  expect(await end('restart')).toBe(0)
})

test('after a socket that was just opened the next is a second away', async () => {
  const { clock, sockets, heard, end } = await session()
  await clock.move(700)
  sockets[0]?.events.open({ jid: '1@s', lid: '', profileName: '' })
  await heard()
  expect(await end('restart')).toBe(SECOND)
})

test('after a socket that ended before it was open the next is a second away: the network may have counted a login', async () => {
  const { clock, end } = await session()
  await clock.move(700)
  expect(await end('restart')).toBe(SECOND)
})
