// The network's site, as far as a program reads it: the build of the network's own program, and the network's time.
import { Hono } from 'hono'
import type { Network } from '../network/network.ts'

export function siteRoutes(network: Network) {
  return new Hono().get('/sw.js', (c) => {
    const { oldestVersion, clockAhead } = network.terms
    c.header('date', new Date(Date.now() + clockAhead).toUTCString())
    c.header('content-type', 'text/javascript')
    return c.body(`self.settings = JSON.parse("{\\"client_revision\\":${oldestVersion}}")\n`)
  })
}
