// What a test of several hosts checks: where sessions are, how often each device logged in, which messages were delivered.

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

export class Watch {
  readonly #world: World
  readonly #receiver: Receiver
  /** The phone number that writes to the devices. */
  readonly friend: string

  constructor(world: World, receiver: Receiver, friend: string) {
    this.#world = world
    this.#receiver = receiver
    this.friend = friend
  }

  /** Logins of a device and the ends of its sockets, as the network saw them. */
  async listSockets(device: LinkedDevice): Promise<Seen[]> {
    const { entries } = await this.#world.sim('GET', `/log?number=${device.number}`)
    return (entries as Seen[]).filter(({ what }) => what === 'login' || what === 'closed')
  }

  /** The logins since then; fails when one of them came while another socket of the device was open. */
  async listLoginsSince(device: LinkedDevice, since: number): Promise<Seen[]> {
    const seen = await this.listSockets(device)
    let open = 0
    for (const { what } of seen) {
      open += what === 'login' ? 1 : -1
      expect(open, JSON.stringify(seen)).toBeLessThanOrEqual(1)
    }
    return seen.filter(({ what, at }) => what === 'login' && at > since)
  }

  /** Writes a text to each device every `every` milliseconds; the function that it returns stops that and returns the texts. */
  writeToDevices(devices: LinkedDevice[], every: number): () => Promise<string[]> {
    const written: string[] = []
    let writing = Promise.resolve()
    const timer = setInterval(() => {
      const text = `${devices[0]?.id} ${written.length}`
      written.push(text)
      writing = writing.then(async () => {
        for (const { number } of devices) {
          await this.#world.sim('POST', '/messages', { from: this.friend, to: number, text })
        }
      })
    }, every)
    return async () => {
      clearInterval(timer)
      await writing
      return written
    }
  }

  /** Resolves when all are connected on hosts for which `isThere` holds. */
  waitUntilAllOn(
    devices: LinkedDevice[],
    isThere: (hostId: string) => boolean,
    within: number,
  ): Promise<unknown> {
    const ids = devices.map(({ id }) => `'${id}'`).join()
    const sql = `select host_id, status, logged_in from instances where id in (${ids})`
    return until(
      async () =>
        (await this.#world.queryDatabase(sql)).every(
          (row) => isThere(String(row.host_id)) && row.status === 'connected' && row.logged_in,
        ),
      { within },
    )
  }

  /** Each text has come to the receiver for each device, once. */
  async expectEachOnce(devices: LinkedDevice[], written: string[]): Promise<void> {
    expect(written.length).toBeGreaterThan(0)
    for (const device of devices) {
      const listMissing = () => written.filter((text) => !this.#listTexts(device).includes(text))
      await until(() => {
        expect(listMissing()).toEqual([])
        return true
      })
      const delivered = this.#listTexts(device).filter((text) => written.includes(text))
      expect(delivered).toEqual([...new Set(delivered)])
    }
  }

  #listTexts(device: LinkedDevice): string[] {
    return this.#receiver.deliveries
      .filter(({ envelope }) => envelope.EventType === 'messages' && envelope.instanceId === device.id)
      .map(({ envelope }) => (envelope.message as { text: string }).text)
  }
}
