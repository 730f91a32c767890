// Reads the rest of a body before an error response is sent; without that the caller may not receive it.

import { MIB } from '@msgnet/shared/contract/limits.ts'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { BytePace } from '../limits/byte-pace.ts'
import { formatHolder } from '../limits/held-bytes.ts'
import { registerTurns } from '../observability/turns-in-metrics.ts'
import type { Actor, EdgeEnv } from '../request/request-context.ts'
import { readClientNetwork } from './client-address.ts'
import { mayHaveBody, openBody } from './open-body.ts'
import { drainBody } from './read-body-bytes.ts'

/** Forty of the largest bodies come without a pause; then 68 MiB a second. */
const BYTES = { costPerMinute: 4096 * MIB, maxSavedCost: 512 * MIB }

let opened: BytePace | undefined

function openPace(): BytePace {
  if (!opened) {
    opened = new BytePace(BYTES)
    registerTurns('drained_bytes', opened.turns)
  }
  return opened
}

export const drainRest = createMiddleware<EdgeEnv>(async (c, next) => {
  await next()
  c.get('heldBytes')?.release()
  if (c.get('bodyIsRead') || !mayHaveBody(c.req.method)) return
  // After `Expect: 100-continue` nothing was sent, and nothing will be after a refusal.
  if (c.req.header('expect') !== undefined) return
  const body = openBody(c)
  if (!body || body.locked) return
  const payer = findPayer(c)
  await drainBody(body, (bytes, onPause) => openPace().payForBytes(payer, bytes, onPause))
})

/** The owner of the token, or the address of a caller without one. */
function findPayer(c: Context<EdgeEnv>): string {
  const actor: Actor | undefined = c.get('actor')
  return actor ? formatHolder(actor) : readClientNetwork(c)
}
