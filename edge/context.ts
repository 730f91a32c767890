// What a request carries from one step of its judgement to the next.

import type { Env } from './env.ts'
import type { ReplayClaim } from './http/replay-claim.ts'
import type { Store } from './store/database.ts'
import type { InstanceRow } from './store/instances.ts'

export interface EdgeEnv {
  Bindings: Env
  Variables: {
    requestId: string
    store: Store
    /** Set once the caller's token, or the id in the path, has named it. */
    instance: InstanceRow
    /** The body's bytes as they came, for the fingerprint of an idempotent request. */
    rawBody: Uint8Array<ArrayBuffer>
    /** Present while a request with an Idempotency-Key runs. */
    replay: ReplayClaim | undefined
  }
}
