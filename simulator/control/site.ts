// The network's site, as far as a program reads it: the build of the network's own program, and the network's time.
import { Hono } from 'hono'
import type { Network } from '../network/simulated-network.ts'

/** The build of the network's program in August 2026, which the library announces. */
const BUILD = 1_043_857_760

export function createSiteRoutes(network: Network) {
  return new Hono().get('/sw.js', (c) => {
    const { oldestVersion, clockAhead } = network.terms
    const build = Math.max(BUILD, oldestVersion)
    c.header('date', new Date(Date.now() + clockAhead).toUTCString())
    c.header('content-type', 'text/javascript')
    return c.body(`self.settings = JSON.parse("{\\"client_revision\\":${build}}")\n`)
  })
}
