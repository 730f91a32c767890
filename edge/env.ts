// The settings of the edge, and its runtime.

import { DAY } from '../shared/clock.ts'
import { sendRate, type TokenLimit, tokenLimits } from '../shared/contract/version.ts'
import { keptDays } from '../shared/kept.ts'
import type { After } from './deadlines.ts'
import type { Runtime } from './runtime.ts'

/** A setting that is not set may be null, empty or absent. */
type Setting = string | null | undefined

export interface Settings {
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
  /** The URL that this gateway listens at, if its start knows it. */
  LISTENS_AT?: Setting
  LOCAL_PROXIES: Setting
  ACTION_TIMEOUT_MS: Setting
  LEASE_MS: Setting
  SEND_RATE: Setting
  REQUEST_RATE: Setting
  STREAM_RATE: Setting
  WEBHOOK_CHANGE_RATE: Setting
  INSTANCE_BODY_MB: Setting
  BODY_MB: Setting
  LOG_LEVEL: Setting
  KEEP_EVENTS_DAYS: Setting
  KEEP_AUDIT_DAYS: Setting
  /** The address that the metrics are served on. */
  EDGE_METRICS_HOST: Setting
  /** The header with the address of the caller, which the reverse proxy writes; without it, the address of the connection counts. */
  CLIENT_ADDRESS_HEADER: Setting
  /** The URL at which the console controls the simulated network, and its key. Set by `npm start` only. */
  LABORATORY_URL?: Setting
  LABORATORY_KEY?: Setting
}

export interface Env extends Settings {
  runtime: Runtime
  /** The deadlines of an object. A request uses timers. */
  after?: After
}

/** The environment in an object, which always has deadlines. */
export type ObjectEnv = Env & Required<Pick<Env, 'after'>>

const DEFAULT_ACTION_TIMEOUT_MS = 45_000

const DEFAULT_LEASE_MS = 30_000

const positive = (setting: Setting, preset: number): number => {
  const given = Number(setting)
  return Number.isInteger(given) && given > 0 ? given : preset
}

/** How long an action waits for the network, in milliseconds. */
export const actionTimeout = (env: Env): number => positive(env.ACTION_TIMEOUT_MS, DEFAULT_ACTION_TIMEOUT_MS)

/** How long a silent host keeps its sessions, in milliseconds. */
export const leaseOf = (env: Env): number => positive(env.LEASE_MS, DEFAULT_LEASE_MS)

/** How long events and entries of the audit log are kept, in milliseconds. */
export const keptFor = (env: Env) => ({
  events: Math.max(positive(env.KEEP_EVENTS_DAYS, keptDays.events.preset), keptDays.events.atLeast) * DAY,
  audit: Math.max(positive(env.KEEP_AUDIT_DAYS, keptDays.audit.preset), keptDays.audit.atLeast) * DAY,
})

/** Messages that an instance may send in a second; 0 for no limit. */
export const sendRateOf = ({ SEND_RATE }: Env): number =>
  /^\d+$/.test(SEND_RATE ?? '') ? Number(SEND_RATE) : sendRate.preset

/** A limit of one token; 0 for none. */
export function readLimit(env: Env, name: TokenLimit): number {
  const given = env[name] ?? ''
  return /^\d+$/.test(given) ? Number(given) : tokenLimits[name]
}

export const webhooksOn = (env: Env): boolean => env.WEBHOOKS !== 'off'

/** Whether instances may have proxies that are not public hosts. */
export const localProxiesOn = (env: Env): boolean => env.LOCAL_PROXIES === 'on'

/** The origin that the operator has set for callers: behind a reverse proxy a request may show another one. */
export const publicOrigin = (env: Env): string | undefined => URL.parse(env.PUBLIC_URL ?? '')?.origin

/** The tools that `/mcp` offers to agents; with `none` the route does not exist. */
export const toolsOffered = ({ MCP }: Env): 'none' | 'reading' | 'all' =>
  MCP === 'write' ? 'all' : MCP === 'read' ? 'reading' : 'none'

/** Whether requests in the words of the API family are accepted too. */
export const tolerant = (env: Pick<Env, 'COMPATIBILITY'>): boolean =>
  env.COMPATIBILITY === 'tolerant' || speaksFamily(env)

/** Whether answers and events are in the words of the API family too. */
export const speaksFamily = ({ COMPATIBILITY }: Pick<Env, 'COMPATIBILITY'>): boolean =>
  COMPATIBILITY === 'uazapi'

/** Whether instances of kind `calls` are supported. */
export const callsOn = (env: Env): boolean => env.CALLS === 'on'
