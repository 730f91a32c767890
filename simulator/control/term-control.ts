// Changes the network's terms, and sends stanzas that a test has written.
import { Hono } from 'hono'
import * as z from 'zod'
import type { Stanza } from '../codec/stanza.ts'
import { DIRTY_KINDS } from '../network/client-terms.ts'
import type { Network } from '../network/simulated-network.ts'
import { Name, readBody, requirePhone } from './control-body.ts'

const TermsChange = z.strictObject({
  /** `2.3000.N`; null accepts every version again. */
  oldestVersion: z
    .string()
    .regex(/^2\.3000\.\d{1,10}$/, 'must be 2.3000. and a number')
    .nullable()
    .optional(),
  /** Milliseconds. */
  clockAhead: z.int().optional(),
})

/** The build of the network's program in August 2026, which the library announces. */
const BUILD = 1_043_857_760

const Dirty = z.strictObject({ type: z.enum(DIRTY_KINDS) })

const Content: z.ZodType<Stanza> = z.strictObject({
  tag: z.string().min(1).max(100),
  attrs: z.record(z.string(), z.string()).default({}),
  content: z.union([z.array(z.lazy(() => Content)), z.string()]).optional(),
}) as z.ZodType<Stanza>
const Sent = z.strictObject({ number: Name.optional(), stanza: Content })

export function createTermRoutes(network: Network) {
  return (
    new Hono()
      .patch('/network', async (c) => {
        const { oldestVersion, clockAhead } = await readBody(c, TermsChange)
        const { terms } = network
        if (oldestVersion !== undefined) terms.oldestVersion = Number(oldestVersion?.split('.')[2] ?? 0)
        if (clockAhead !== undefined) terms.clockAhead = clockAhead
        return c.json({ oldestVersion: terms.oldestVersion, clockAhead: terms.clockAhead })
      })

      .post('/phones/:number/dirty', async (c) => {
        const { number } = requirePhone(network, c.req.param('number'))
        network.terms.markDirty(number, (await readBody(c, Dirty)).type)
        const reached = network.connections.listConnections(number)
        for (const { socket } of reached)
          for (const dirty of network.terms.buildDirtyStanzas(number)) socket.send(dirty)
        return c.json({ reached: reached.length })
      })

      // To every device of the account, or to every one that is not linked yet.
      .post('/stanzas', async (c) => {
        const { number: name, stanza } = await readBody(c, Sent)
        const reached =
          name === undefined
            ? network.connections.listConnections().filter(({ owner }) => owner.kind === 'candidate')
            : network.connections.listConnections(requirePhone(network, name).number)
        for (const { socket } of reached) socket.send(stanza)
        return c.json({ reached: reached.length })
      })
  )
}

/** The page of the network's site that programs read: the build of the network's own program, and its time. */
export function createSiteRoutes(network: Network) {
  return new Hono().get('/sw.js', (c) => {
    const { oldestVersion, clockAhead } = network.terms
    const build = Math.max(BUILD, oldestVersion)
    c.header('date', new Date(Date.now() + clockAhead).toUTCString())
    c.header('content-type', 'text/javascript')
    return c.body(`self.settings = JSON.parse("{\\"client_revision\\":${build}}")\n`)
  })
}
