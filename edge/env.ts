// What the runtime binds to the edge, and what a request carries from one step of its judgement to the next.

import type { Courier } from './delivery/courier.ts'
import type { HostLink } from './hosts/host-link.ts'
import type { ReplayClaim } from './http/replay-claim.ts'
import type { Store } from './store/database.ts'
import type { InstanceRow } from './store/instances.ts'

/** A setting that is not given: workerd says null, Cloudflare leaves it out. */
type Setting = string | null | undefined

export interface Env {
  DATABASE_URL: Setting
  DATABASE_TOKEN: Setting
  /** Leads to a plain-HTTP database on this machine, which the public outbound network refuses. */
  DATABASE?: Fetcher
  /** An outbound that may reach private addresses, for the receivers in WEBHOOK_ALLOWLIST and nothing else. */
  LABORATORY?: Fetcher
  ADMIN_TOKEN: Setting
  SEAL_KEYS: Setting
  WEBHOOK_ALLOWLIST: Setting
  WEBHOOKS: Setting
  GLOBAL_WEBHOOK_URL: Setting
  GLOBAL_WEBHOOK_EVENTS: Setting
  GLOBAL_WEBHOOK_SECRET: Setting
  CALLS: Setting
  ACTION_TIMEOUT_MS: Setting
  LEASE_MS: Setting
  LOG_LEVEL: Setting
  HOST_LINK: DurableObjectNamespace<HostLink>
  COURIER: DurableObjectNamespace<Courier>
}

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

const DEFAULT_ACTION_TIMEOUT_MS = 45_000

const DEFAULT_LEASE_MS = 30_000

const milliseconds = (setting: Setting, preset: number): number => {
  const given = Number(setting)
  return Number.isInteger(given) && given > 0 ? given : preset
}

/** How long the network may take to answer an action, in milliseconds. */
export const actionTimeout = (env: Env): number =>
  milliseconds(env.ACTION_TIMEOUT_MS, DEFAULT_ACTION_TIMEOUT_MS)

/** For how long a host that falls silent keeps its sessions, in milliseconds. */
export const leaseOf = (env: Env): number => milliseconds(env.LEASE_MS, DEFAULT_LEASE_MS)

export const webhooksOn = (env: Env): boolean => env.WEBHOOKS !== 'off'

/** Unless it is turned on there is no module for calls. */
export const callsOn = (env: Env): boolean => env.CALLS === 'on'
