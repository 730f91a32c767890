// What the runtime binds to the edge, and what its settings mean.

import { DAY } from '../shared/clock.ts'
import { sendRate } from '../shared/contract/version.ts'
import { keptDays } from '../shared/kept.ts'
import type { After } from './deadlines.ts'
import type { CourierObject, LinkObject } from './objects.ts'

/** A setting that is not given: workerd says null, Cloudflare leaves it out. */
type Setting = string | null | undefined

export interface Env {
  DATABASE_URL: Setting
  DATABASE_TOKEN: Setting
  /** Leads to a plain-HTTP database on this machine, which the public outbound network refuses. */
  DATABASE?: Fetcher
  /** An outbound that may reach private addresses, for the receivers in WEBHOOK_ALLOWLIST and nothing else. */
  PRIVATE_OUTBOUND?: Fetcher
  ADMIN_TOKEN: Setting
  SEAL_KEYS: Setting
  WEBHOOK_ALLOWLIST: Setting
  WEBHOOKS: Setting
  GLOBAL_WEBHOOK_URL: Setting
  GLOBAL_WEBHOOK_EVENTS: Setting
  GLOBAL_WEBHOOK_SECRET: Setting
  CALLS: Setting
  CORS_ORIGINS: Setting
  PUBLIC_URL: Setting
  MCP: Setting
  COMPATIBILITY: Setting
  /** Where this gateway listens, where its start knows it. */
  LISTENS_AT?: Setting
  LOCAL_PROXIES: Setting
  ACTION_TIMEOUT_MS: Setting
  LEASE_MS: Setting
  SEND_RATE: Setting
  LOG_LEVEL: Setting
  KEEP_EVENTS_DAYS: Setting
  KEEP_AUDIT_DAYS: Setting
  /** The header in which the reverse proxy tells where a request comes from; without one, the connection says it. */
  CLIENT_ADDRESS_HEADER: Setting
  /** Where `npm start` lets the console steer the simulated network, and the key to it. Nowhere else are there such. */
  LABORATORY_URL?: Setting
  LABORATORY_KEY?: Setting
  HOST_LINK: DurableObjectNamespace<LinkObject>
  COURIER: DurableObjectNamespace<CourierObject>
  /** What an object keeps its limits of time with. A request has timers. */
  after?: After
}

/** As an object's work is given it. */
export type ObjectEnv = Env & Required<Pick<Env, 'after'>>

const DEFAULT_ACTION_TIMEOUT_MS = 45_000

const DEFAULT_LEASE_MS = 30_000

const positive = (setting: Setting, preset: number): number => {
  const given = Number(setting)
  return Number.isInteger(given) && given > 0 ? given : preset
}

/** How long the network may take to answer an action, in milliseconds. */
export const actionTimeout = (env: Env): number => positive(env.ACTION_TIMEOUT_MS, DEFAULT_ACTION_TIMEOUT_MS)

/** For how long a host that falls silent keeps its sessions, in milliseconds. */
export const leaseOf = (env: Env): number => positive(env.LEASE_MS, DEFAULT_LEASE_MS)

/** How long events and entries of the audit log are kept, in milliseconds. */
export const keptFor = (env: Env) => ({
  events: Math.max(positive(env.KEEP_EVENTS_DAYS, keptDays.events.preset), keptDays.events.atLeast) * DAY,
  audit: Math.max(positive(env.KEEP_AUDIT_DAYS, keptDays.audit.preset), keptDays.audit.atLeast) * DAY,
})

/** Messages that an instance may send in a second; 0 for any number. */
export const sendRateOf = ({ SEND_RATE }: Env): number =>
  /^\d+$/.test(SEND_RATE ?? '') ? Number(SEND_RATE) : sendRate.preset

export const webhooksOn = (env: Env): boolean => env.WEBHOOKS !== 'off'

/** Instances may be given proxies that are no public hosts. */
export const localProxiesOn = (env: Env): boolean => env.LOCAL_PROXIES === 'on'

/** Where callers find us, as the operator says it: what stands in front may show us another address. */
export const publicOrigin = (env: Env): string | undefined => URL.parse(env.PUBLIC_URL ?? '')?.origin

/** What programs that choose by themselves may do at `/mcp`: unless it is set there is no such route. */
export const toolsOffered = ({ MCP }: Env): 'none' | 'reading' | 'all' =>
  MCP === 'write' ? 'all' : MCP === 'read' ? 'reading' : 'none'

/** Whether requests are taken too as clients of the API family write them where the contract has another word. */
export const tolerant = (env: Pick<Env, 'COMPATIBILITY'>): boolean =>
  env.COMPATIBILITY === 'tolerant' || speaksFamily(env)

/** Whether answers and events are in the words of the API family too. */
export const speaksFamily = ({ COMPATIBILITY }: Pick<Env, 'COMPATIBILITY'>): boolean =>
  COMPATIBILITY === 'uazapi'

/** Unless it is turned on there is no module for calls. */
export const callsOn = (env: Env): boolean => env.CALLS === 'on'
