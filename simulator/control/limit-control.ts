// Sets and removes the limits that the network puts on an account.
import { Hono } from 'hono'
import * as z from 'zod'
import { findLockEnd, setChatCap, setTimeLock } from '../network/limit-account.ts'
import type { Network } from '../network/simulated-network.ts'
import { readBody, requirePhone } from './control-body.ts'

/** Times in milliseconds since the epoch; 0 ends a lock. */
const LimitsChange = z.strictObject({
  timeLockUntil: z.int().min(0).optional(),
  /** The account's devices are not notified; they learn of it by a refusal. */
  quietly: z.boolean().default(false),
  newChatCap: z
    .strictObject({ total: z.int().min(0), used: z.int().min(0), until: z.int().positive() })
    .optional(),
})

export function createLimitRoutes(network: Network) {
  return new Hono().patch('/:number/limits', async (c) => {
    const account = requirePhone(network, c.req.param('number'))
    const { timeLockUntil, newChatCap, quietly } = await readBody(c, LimitsChange)
    if (timeLockUntil !== undefined) setTimeLock(network, account, timeLockUntil, quietly)
    if (newChatCap !== undefined) setChatCap(network, account, newChatCap)
    return c.json({ timeLockUntil: findLockEnd(network, account) })
  })
}
