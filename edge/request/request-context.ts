// The context of a request, which its steps pass on to each other.

import type { Scope } from '@msgnet/shared/contract/admin-scope.ts'
import type { ActorKind, AuditAction } from '@msgnet/shared/contract/audit-actions.ts'
import type { Turn } from '@msgnet/shared/fair-turns.ts'
import type { Trace } from '@msgnet/shared/trace-context.ts'
import type { IdempotencyClaim } from '../idempotency/idempotency-claim.ts'
import type { KeyRow } from '../idempotency/key-store.ts'
import type { HeldBytes } from '../limits/held-bytes.ts'
import type { LongTexts } from '../runtime/long-texts.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import type { LinkRow } from '../store/link-queries.ts'
import type { Grant } from '../store/scoped-token-queries.ts'
import type { WebhookHealthRow } from '../store/webhook-queries.ts'

export interface Prefetched {
  /** The instance of the token, if it is read together with something else. */
  caller?: Promise<InstanceRow | undefined>
  webhook?: Promise<WebhookHealthRow | undefined>
  /** The row of this request's Idempotency-Key. */
  key?: Promise<KeyRow | undefined>
  /** The instance that the path names. */
  named?: Promise<InstanceRow | undefined>
}

/** The caller, for the audit log. */
export interface Actor {
  kind: ActorKind
  /** Id of the token or the instance; empty for the token of the environment. */
  id: string
  name: string
  /** Of an admin token. */
  scope?: Scope
  /** The id of the instance that an admin token acts for. */
  as?: string
  /** Of a scoped token: `kind` and `id` are those of its instance, so that its quotas count. */
  grant?: Grant
}

/** Whose token it is. */
export const findCredential = ({ kind, grant }: Pick<Actor, 'kind' | 'grant'>): ActorKind =>
  grant ? 'scoped' : kind

export interface EdgeEnv {
  Bindings: Env
  Variables: {
    requestId: string
    /** The caller's trace, or a new one. */
    trace: Trace
    store: Store
    actor: Actor
    /** The digest of the token in this request: of the instance, or of an admin that acts for it. */
    tokenHash: string
    /** Set after it was found by the caller's token or by the id in the path. */
    instance: InstanceRow
    /** Read together with the caller's row, in the same call to the database, if the route or a header needs it. */
    prefetched: Prefetched | undefined
    /** Of the page behind a one-time link. */
    link: LinkRow
    /** Parsed by the route's schema. */
    body: unknown
    /** The calling session host, on routes for hosts. */
    host: { id: string; tokenHash: string }
    /** Resolves when the body was read; rejects with its Fault. */
    bodyRead: Promise<void> | undefined
    /** Method, path and the unchanged bytes of the body, for the fingerprint of an idempotent request; until its file is removed. */
    requestBytes: Uint8Array<ArrayBuffer> | undefined
    /** Texts of the body that are too long to be copied; each is removed once. */
    longTexts: LongTexts | undefined
    /** The bytes of the body that are in memory. Released when the request has ended, unless something else retains them. */
    heldBytes: HeldBytes | undefined
    /** Its turn, of a route with `cost`; `bytes`: of its answer. */
    page: { turn: Turn; bytes: number } | undefined
    bodyIsRead: true | undefined
    /** When `Prefer: wait` ends, set by the first act of the request. */
    answerBy: number | undefined
    /** The body of the response, if the route returned a value: its steps need not read it back, which is slow. */
    responseText: string | undefined
    /** The body of the response, if it is the same object for all responses until it changes. */
    sharedBody: Uint8Array<ArrayBuffer> | undefined
    /** The request was refused because its token had made too many. */
    overRate: true | undefined
    /** Set if the route is in the audit log; `written`: the entry went with the change itself. */
    audited: { action: AuditAction; written: boolean } | undefined
    /** Set while a request with an Idempotency-Key runs. */
    claim: IdempotencyClaim | undefined
    /** Of a request to a dialect with an Idempotency-Key: whether all calls of the contract that have the key were answered as before. */
    isReplayed: boolean | undefined
  }
}
