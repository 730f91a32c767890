// The readable state of the network: its log, its receipts, the unknown stanzas, and its addresses.
import { Hono } from 'hono'
import type { Network } from '../network/simulated-network.ts'
import { requirePhone } from './control-body.ts'
import { createProblem } from './problem.ts'

/** Numbers below this are positions in the log, not times in milliseconds. */
const EARLIEST_TIME = 1e12

export type NetworkInfo = { url: () => string; rootKey: string; mediaCa: string }

export function createObservationRoutes(network: Network, info: NetworkInfo) {
  return new Hono()
    .get('/network', (c) => c.json({ ...info, url: info.url(), mediaHosts: [network.media.host] }))

    .get('/log', (c) => {
      const name = c.req.query('number')
      const number = name === undefined ? undefined : requirePhone(network, name).number
      const after = c.req.query('after')
      if (after !== undefined && !/^\d+$/.test(after))
        throw createProblem(400, 'this is neither a seq nor a time', 'after')
      const entries = network.log.entries
        .list()
        .filter((entry) => number === undefined || entry.number === number)
        .filter((entry) => after === undefined || isAfter(entry, Number(after)))
      return c.json({ entries })
    })

    .get('/receipts', (c) => {
      const name = c.req.query('number')
      const number = name === undefined ? undefined : requirePhone(network, name).number
      const receipts = network.log.receipts
        .list()
        .filter((receipt) => number === undefined || receipt.number === number)
      return c.json({ receipts })
    })

    .get('/unknown', (c) => c.json({ requests: network.log.unknown.list() }))

    .post('/reset', (c) => {
      network.phonePresences.clear()
      for (const { socket } of network.connections.listConnections()) socket.drop()
      network.store.clear()
      network.faults.clearFaults()
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
