// Ports of this machine that gateways of tests may deliver to and fetch from: a gateway is told of them when it starts, before
// the files that will listen there.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { Server } from 'node:http'

/** Of a process; no two of one run that go on at the same time listen at the same ones. */
const COUNT = 64
/** More than run test files at the same time. */
const PROCESSES = 4
/** Gateways and the system itself use higher ones for what they choose by chance. */
const LOWEST = 10_000
const RANGES = 37

/** The lowest port of all processes of a run. */
export const chooseRange = (): number => LOWEST + randomInt(RANGES) * PROCESSES * COUNT

const { TEST_PORTS, VITEST_POOL_ID } = process.env
const lowest = Number(TEST_PORTS ?? chooseRange())
const first = lowest + (Number(VITEST_POOL_ID ?? 0) % PROCESSES) * COUNT
const ports = Array.from({ length: COUNT }, (_, index) => first + index)
const all = Array.from({ length: PROCESSES * COUNT }, (_, index) => lowest + index)

/** For WEBHOOK_ALLOWLIST; at the last of them nothing ever listens. */
export const reservedPlaces = [...all, 9].map((port) => `127.0.0.1:${port}`).join()

// A gateway may have delivered to the same ports for a process that ended.
let next = randomInt(COUNT)

/**
 * Listens at the next of them. Each is used again as late as possible, so that what a gateway remembers of a receiver is not
 * held against another. Returns `host:port`.
 */
export async function listenAtReserved(server: Server): Promise<string> {
  for (let tries = 0; tries < COUNT; tries++) {
    const port = ports[next++ % COUNT] ?? first
    try {
      return await listenAt(server, port)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
  throw new Error(`none of the ports from ${first} on is free`)
}

/** Returns `host:port`. */
export async function listenAt(server: Server, port: number): Promise<string> {
  await once(server.listen(port, '127.0.0.1'), 'listening')
  return `127.0.0.1:${port}`
}
