// Finding out who may listen where, before any part is started.

import { createServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Complaint } from './settings.ts'

/** Parts of a gateway that was killed a moment ago may hold their port for an instant. */
const PATIENCE_MS = 3000
const STEP_MS = 50

const listen = (host: string, port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : port))
    })
  })

/** A port that nobody listens on. */
export const freePort = (): Promise<number> => listen('127.0.0.1', 0)

/** Answers `port`, or a free one for 0. Throws a Complaint that names the variable when it is taken. */
export async function claimPort(variable: string, host: string, port: number): Promise<number> {
  const until = performance.now() + PATIENCE_MS
  for (;;) {
    try {
      return await listen(host, port)
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
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
