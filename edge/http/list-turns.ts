// Lists of all instances, which are sent page by page, are read in turns by token.

import { SECOND } from '@msgnet/shared/date-time.ts'
import { type TurnLimits, TurnRefused } from '@msgnet/shared/fair-turns.ts'
import type { Context } from 'hono'
import { formatHolder } from '../limits/held-bytes.ts'
import { PacedTurns } from '../limits/paced-turns.ts'
import { createQuotaFault } from '../limits/quotas.ts'
import type { EdgeEnv } from '../request/request-context.ts'

/** Many may wait, because every program of an operator may use one token. */
const LIMITS: TurnLimits = {
  maxUnderWay: 4,
  maxUnderWayOfOne: 1,
  maxWaiting: 256,
  maxWaitingOfOne: 64,
  costPerMinute: 15 * SECOND,
}

const turns = new PacedTurns('lists', LIMITS)

/** The same pages. Throws `quota_reached` before the first if the token has had its time of the minute, or if too many of its lists wait. */
export async function* takeListTurns(
  c: Context<EdgeEnv>,
  pages: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  const owner = formatHolder(c.var.actor)
  try {
    let page = await readFirst(c, owner, pages)
    while (!page.done) {
      yield page.value
      page = await turns.runNext(owner, () => pages.next())
    }
  } finally {
    // A caller that leaves ends what is read for it.
    await pages.return()
  }
}

async function readFirst(c: Context<EdgeEnv>, owner: string, pages: AsyncGenerator<string, void>) {
  try {
    return await turns.runFirst(owner, () => pages.next(), c.req.raw.signal)
  } catch (error) {
    if (!(error instanceof TurnRefused)) throw error
    c.set('overRate', true)
    throw createQuotaFault('lists', error.waitMs)
  }
}
