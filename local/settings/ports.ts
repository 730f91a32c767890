// Checks that the ports are free, before any part is started.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Complaint } from './settings.ts'

/** The parts of a gateway that was just killed may hold their ports for a moment. */
const PATIENCE_MS = 3000
const STEP_MS = 50

/** Throws the system's error if the port cannot be used. */
const tryOut = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
  })

/** The system uses no ports of this range for outgoing connections, so a free one stays free until it is used. */
const FREE_FROM = 20_000
const FREE_BELOW = 32_000

/** A free port. */
export async function freePort(host = '127.0.0.1'): Promise<number> {
  for (;;) {
    const port = randomInt(FREE_FROM, FREE_BELOW)
    try {
      await tryOut(host, port)
      return port
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}

/** Answers `port`, or a free one for 0. Throws a Complaint that names the variable when it is taken. */
export async function claimPort(variable: string, host: string, port: number): Promise<number> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      if (port === 0) return await freePort(host)
      await tryOut(host, port)
      return port
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      // The fault is not the port.
      if (code === 'ENOTFOUND' || code === 'EADDRNOTAVAIL')
        throw new Complaint(
          `${variable.replace('PORT', 'HOST')} must be an address of this machine: ${host} is none.`,
        )
      if (code !== 'EADDRINUSE')
        throw new Complaint(`${variable}: cannot listen on ${host}:${port} (${code}).`)
      if (performance.now() > until) {
        throw new Complaint(
          `Port ${port} on ${host} is taken: stop what listens there, or set ${variable} to another.`,
        )
      }
      await wait(STEP_MS)
    }
  }
}
