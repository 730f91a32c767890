// The readable state of the network: its log, its receipts, the unknown stanzas, and its addresses.
import { Hono } from 'hono'
import type { Network } from '../network/network.ts'
import { phoneNamed } from './body.ts'

/** Numbers below this are positions in the log, not times in milliseconds. */
const EARLIEST_TIME = 1e12

export type Place = { url: () => string; rootKey: string; mediaCa: string }

export function observationRoutes(network: Network, place: Place) {
  return new Hono()
    .get('/network', (c) => c.json({ ...place, url: place.url(), mediaHosts: [network.media.host] }))

    .get('/log', (c) => {
      const name = c.req.query('number')
      const number = name === undefined ? undefined : phoneNamed(network, name).number
      const after = c.req.query('after')
      const entries = network.log.entries
        .all()
        .filter((entry) => number === undefined || entry.number === number)
        .filter((entry) => after === undefined || isAfter(entry, Number(after)))
      return c.json({ entries })
    })

    .get('/receipts', (c) => {
      const name = c.req.query('number')
      const number = name === undefined ? undefined : phoneNamed(network, name).number
      const receipts = network.log.receipts
        .all()
        .filter((receipt) => number === undefined || receipt.number === number)
      return c.json({ receipts })
    })

    .get('/unknown', (c) => c.json({ requests: network.log.unknown.all() }))

    .post('/reset', (c) => {
      for (const { socket } of network.connections.of()) socket.drop()
      network.store.empty()
      network.faults.endAll()
      network.terms.clear()
      network.calls.clear()
      network.log.clear()
      return c.json({ phones: 0 })
    })
}

/** `after` is an entry's `seq`, or a time, which is included. */
function isAfter(entry: { seq: number; at: number }, after: number): boolean {
  return after >= EARLIEST_TIME ? entry.at >= after : entry.seq > after
}
