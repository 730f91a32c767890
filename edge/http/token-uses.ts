// Apart from auth.ts, because it has a state of its own: when each scoped token was used last, counted in memory, and written for all of them together, at most once a minute.

import { MINUTE } from '@msgnet/shared/date-time.ts'
import type { Context } from 'hono'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { storeTokenUses } from '../store/scoped-token-queries.ts'

/** Of this isolate, by the id of the token: uses that are not written yet. */
let uses = new Map<string, number>()
/** When each was written last. */
const written = new Map<string, number>()
/** A token that is not in the map is written with its next use. */
const AT_MOST = 5000

/** After the response, and only if its last use was written a minute ago or longer: no request waits for it. */
export function recordTokenUse(c: Context<EdgeEnv>, tokenId: string): void {
  const now = Date.now()
  uses.set(tokenId, now)
  if (now - (written.get(tokenId) ?? 0) < MINUTE) return
  if (written.size >= AT_MOST) written.clear()
  const taken = uses
  uses = new Map()
  for (const id of taken.keys()) written.set(id, now)
  c.executionCtx.waitUntil(
    storeTokenUses(c.var.store, taken).catch((error) => {
      for (const id of taken.keys()) written.delete(id)
      log(c.env, 'warn', 'failed to store uses of tokens', { error })
    }),
  )
}
