// Finding out who may listen where, before any part is started.

import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Complaint } from './settings.ts'

/** Parts of a gateway that was killed a moment ago may hold their port for an instant. */
const PATIENCE_MS = 3000
const STEP_MS = 50

/** Throws what the system says when it cannot be had. */
const tryOut = (host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()))
  })

/** Where the system itself takes no ports for outgoing connections: what is free here stays free until it is used. */
const FREE_FROM = 20_000
const FREE_BELOW = 32_000

/** A port that nobody listens on. */
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
      // It is not the port that is wrong.
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
