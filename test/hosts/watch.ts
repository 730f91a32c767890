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
  listSockets(device: LinkedDevice): Promise<Seen[]>
  /** The logins since then; fails when one of them came while another socket of the device was open. */
  countLoginsSince(device: LinkedDevice, since: number): Promise<Seen[]>
  /** A text to each of them every so often, until the answer is called; it answers what was written. */
  writeToDevice(some: LinkedDevice[], every: number): () => Promise<string[]>
  /** Resolves when all are connected on hosts like that. */
  areAllOn(some: LinkedDevice[], isThere: (hostId: string) => boolean, within: number): Promise<unknown>
  /** Each text has come to the receiver for each device, once. */
  expectEachOnce(some: LinkedDevice[], written: string[]): Promise<void>
}

export function createWatch(world: World, receiver: Receiver, friend: string): Watch {
  const listTexts = (device: LinkedDevice): string[] =>
    receiver.deliveries
      .filter(({ envelope }) => envelope.EventType === 'messages' && envelope.instanceId === device.id)
      .map(({ envelope }) => (envelope.message as { text: string }).text)

  const watch: Watch = {
    friend,
    async listSockets(device) {
      const { entries } = await world.sim('GET', `/log?number=${device.number}`)
      return (entries as Seen[]).filter(({ what }) => what === 'login' || what === 'closed')
    },
    async countLoginsSince(device, since) {
      const seen = await watch.listSockets(device)
      let open = 0
      for (const { what } of seen) {
        open += what === 'login' ? 1 : -1
        expect(open, JSON.stringify(seen)).toBeLessThanOrEqual(1)
      }
      return seen.filter(({ what, at }) => what === 'login' && at > since)
    },
    writeToDevice(some, every) {
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
    areAllOn(some, isThere, within) {
      const ids = some.map(({ id }) => `'${id}'`).join()
      const sql = `select host_id, status, logged_in from instances where id in (${ids})`
      return until(
        async () =>
          (await world.queryDatabase(sql)).every(
            (row) => isThere(String(row.host_id)) && row.status === 'connected' && row.logged_in,
          ),
        { within },
      )
    },
    async expectEachOnce(some, written) {
      expect(written.length).toBeGreaterThan(0)
      for (const device of some) {
        const listMissing = () => written.filter((text) => !listTexts(device).includes(text))
        await until(() => {
          expect(listMissing()).toEqual([])
          return true
        })
        const delivered = listTexts(device).filter((text) => written.includes(text))
        expect(delivered).toEqual([...new Set(delivered)])
      }
    },
  }
  return watch
}
