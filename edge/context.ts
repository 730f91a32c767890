// What a request carries from one step of its judgement to the next.

import type { Scope } from '../shared/api/scope.ts'
import type { ActorKind, AuditAction } from '../shared/contract/audit.ts'
import type { Trace } from '../shared/trace.ts'
import type { Env } from './env.ts'
import type { IdempotencyClaim } from './http/idempotency-claim.ts'
import type { Store } from './store/database/database.ts'
import type { KeyRow } from './store/idempotency-keys.ts'
import type { InstanceRow } from './store/instances.ts'
import type { SubscriptionHealth } from './store/subscriptions.ts'

export interface Prefetched {
  /** Whose token it is, where that is read together with something else. */
  caller?: Promise<InstanceRow | undefined>
  subscription?: Promise<SubscriptionHealth | undefined>
  /** What stands under the Idempotency-Key of this request. */
  key?: Promise<KeyRow | undefined>
  /** The instance that the path names. */
  named?: Promise<InstanceRow | undefined>
}

/** Who asks. */
export interface Actor {
  kind: ActorKind
  /** Of the token or the instance; empty for the token of the environment. */
  id: string
  name: string
  /** Of an admin. */
  scope?: Scope
}

export interface EdgeEnv {
  Bindings: Env
  Variables: {
    requestId: string
    /** The caller's, or one that began here. */
    trace: Trace
    store: Store
    actor: Actor
    /** The digest of an instance's token, as it was given. */
    tokenHash: string
    /** Set once the caller's token, or the id in the path, has named it. */
    instance: InstanceRow
    /** Read in the same call of the database as the caller's row, where the route or a header asks for it. */
    prefetched: Prefetched | undefined
    /** Parsed by the route's schema. */
    body: unknown
    /** The session host that asks, where only hosts may. */
    host: { id: string; tokenHash: string }
    /** Under way or over; rejects with what is wrong with the body. */
    bodyRead: Promise<void> | undefined
    /** The body's bytes as they came, for the fingerprint of an idempotent request. */
    rawBody: Uint8Array<ArrayBuffer>
    /** When a caller who does not want to wait for long is answered, since the first act of the request. */
    answerBy: number | undefined
    /** Present where the route is in the audit log; `written` with the change itself. */
    audited: { action: AuditAction; written: boolean } | undefined
    /** Present while a request with an Idempotency-Key runs. */
    claim: IdempotencyClaim | undefined
  }
}
