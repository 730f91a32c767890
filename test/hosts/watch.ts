// What a test of several hosts looks at: whose sessions are where, how often each device logged in, what was told of it.

import { expect } from 'vitest'
import type { LinkedDevice } from '../device.ts'
import type { Receiver } from '../receiver.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'

interface Seen {
  /** Milliseconds since the epoch. */
  at: number
  what: string
}

export interface Watch {
  /** Number of the one who writes to the devices. */
  readonly friend: string
  /** Logins of a device and the ends of its sockets, as the network saw them. */
  socketsOf(device: LinkedDevice): Promise<Seen[]>
  /** The logins since then; fails when one of them came while another socket of the device was open. */
  loginsSince(device: LinkedDevice, since: number): Promise<Seen[]>
  /** A text to each of them every so often, until the answer is called; it answers what was written. */
  writeTo(some: LinkedDevice[], every: number): () => Promise<string[]>
  /** Resolves when all are connected on hosts like that. */
  allOn(some: LinkedDevice[], isThere: (hostId: string) => boolean, within: number): Promise<unknown>
  /** Each text has come to the receiver for each device, once. */
  expectEachOnce(some: LinkedDevice[], written: string[]): Promise<void>
}

export function makeWatch(world: World, receiver: Receiver, friend: string): Watch {
  const textsOf = (device: LinkedDevice): string[] =>
    receiver.deliveries
      .filter(({ envelope }) => envelope.EventType === 'messages' && envelope.instanceId === device.id)
      .map(({ envelope }) => (envelope.message as { text: string }).text)

  const watch: Watch = {
    friend,
    async socketsOf(device) {
      const { entries } = await world.sim('GET', `/log?number=${device.number}`)
      return (entries as Seen[]).filter(({ what }) => what === 'login' || what === 'closed')
    },
    async loginsSince(device, since) {
      const seen = await watch.socketsOf(device)
      let open = 0
      for (const { what } of seen) {
        open += what === 'login' ? 1 : -1
        expect(open, JSON.stringify(seen)).toBeLessThanOrEqual(1)
      }
      return seen.filter(({ what, at }) => what === 'login' && at > since)
    },
    writeTo(some, every) {
      const written: string[] = []
      let writing = Promise.resolve()
      const timer = setInterval(() => {
        const text = `${some[0]?.id} ${written.length}`
        written.push(text)
        writing = writing.then(async () => {
          for (const { number } of some) {
            await world.sim('POST', '/messages', { from: friend, to: number, text })
          }
        })
      }, every)
      return async () => {
        clearInterval(timer)
        await writing
        return written
      }
    },
    allOn(some, isThere, within) {
      const ids = some.map(({ id }) => `'${id}'`).join()
      const sql = `select host_id, status, logged_in from instances where id in (${ids})`
      return until(
        async () =>
          (await world.database(sql)).every(
            (row) => isThere(String(row.host_id)) && row.status === 'connected' && row.logged_in,
          ),
        { within },
      )
    },
    async expectEachOnce(some, written) {
      expect(written.length).toBeGreaterThan(0)
      for (const device of some) {
        const missing = () => written.filter((text) => !textsOf(device).includes(text))
        await until(() => {
          expect(missing()).toEqual([])
          return true
        })
        const told = textsOf(device).filter((text) => written.includes(text))
        expect(told).toEqual([...new Set(told)])
      }
    },
  }
  return watch
}
