// The settings of the edge, and its runtime.

import { sendRate, type TokenLimit, tokenLimits, toSendBurst } from '@msgnet/shared/contract/limits.ts'
import { DEFAULT_TOOL_SETS, listToolSets, type ToolSet } from '@msgnet/shared/contract/tool-sets.ts'
import { DAY } from '@msgnet/shared/date-time.ts'
import { retentionDays } from '@msgnet/shared/retention-periods.ts'
import type { RequestForm } from '../dialect/dialect.ts'
import type { Dialects } from '../dialect/dialects.ts'
import type { SetDeadline } from '../runtime/deadlines.ts'
import type { Runtime } from '../runtime/runtime.ts'

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
  INTERACTIVE: Setting
  /** As the hosts have it. */
  MEDIA?: Setting
  CORS_ORIGINS: Setting
  PUBLIC_URL: Setting
  MCP: Setting
  MCP_TOOLS?: Setting
  COMPATIBILITY: Setting
  /** Names of dialects, with commas between them. */
  DIALECTS?: Setting
  /** Texts by name and language, as JSON. */
  CLOUD_TEMPLATES?: Setting
  /** The URL that this gateway listens at, if its start knows it. */
  LISTENS_AT?: Setting
  LOCAL_PROXIES: Setting
  ACTION_TIMEOUT_MS: Setting
  LEASE_MS: Setting
  SEND_RATE: Setting
  SEND_BURST: Setting
  REQUEST_RATE: Setting
  STREAM_RATE: Setting
  WEBHOOK_CHANGE_RATE: Setting
  PAGE_MB: Setting
  OPEN_PAGE_MB: Setting
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
  /** The form of this request. */
  dialect: RequestForm
  /** All forms that the operator has chosen. */
  dialects: Dialects
  /** The deadlines of an object. A request uses timers. */
  setDeadline?: SetDeadline
}

/** The environment in an object, which always has deadlines. */
export type ObjectEnv = Env & Required<Pick<Env, 'setDeadline'>>

const DEFAULT_ACTION_TIMEOUT_MS = 45_000

export const DEFAULT_LEASE_MS = 30_000

const parsePositive = (setting: Setting, fallback: number): number => {
  const value = Number(setting)
  return Number.isInteger(value) && value > 0 ? value : fallback
}

/** How long an action waits for the network, in milliseconds. */
export const readActionTimeout = (env: Env): number =>
  parsePositive(env.ACTION_TIMEOUT_MS, DEFAULT_ACTION_TIMEOUT_MS)

/** How long the lease of an unresponsive host lasts, in milliseconds. */
export const readLeaseMs = (env: Env): number => parsePositive(env.LEASE_MS, DEFAULT_LEASE_MS)

/** How long events and entries of the audit log are stored, in milliseconds. */
export const readRetention = (env: Env) => ({
  events:
    Math.max(parsePositive(env.KEEP_EVENTS_DAYS, retentionDays.events.preset), retentionDays.events.min) *
    DAY,
  audit:
    Math.max(parsePositive(env.KEEP_AUDIT_DAYS, retentionDays.audit.preset), retentionDays.audit.min) * DAY,
})

/** Messages that an instance may send in a second; 0 for no limit. */
export const readSendRate = ({ SEND_RATE }: Env): number =>
  /^\d+$/.test(SEND_RATE ?? '') ? Number(SEND_RATE) : sendRate.preset

/** Messages that an instance may send at once after a pause; 0 for no limit. */
export function readSendBurst(env: Env): number {
  const perSecond = readSendRate(env)
  return perSecond > 0 && /^[1-9]\d*$/.test(env.SEND_BURST ?? '')
    ? Number(env.SEND_BURST)
    : toSendBurst(perSecond)
}

/** A limit of one token; 0 for none. */
export function readLimit(env: Env, name: TokenLimit): number {
  const value = env[name] ?? ''
  return /^\d+$/.test(value) ? Number(value) : tokenLimits[name]
}

export const areWebhooksEnabled = (env: Env): boolean => env.WEBHOOKS !== 'off'

/** Whether instances may have proxies that are not public hosts. */
export const areLocalProxiesAllowed = (env: Env): boolean => env.LOCAL_PROXIES === 'on'

/** The origin that the operator has set for callers: behind a reverse proxy a request may show another one. */
export const readPublicOrigin = (env: Env): string | undefined => URL.parse(env.PUBLIC_URL ?? '')?.origin

/** The tools that `/mcp` offers to agents; with `none` the route does not exist. */
export const readOfferedTools = ({ MCP }: Env): 'none' | 'reading' | 'all' =>
  MCP === 'write' ? 'all' : MCP === 'read' ? 'reading' : 'none'

/** The sets of tools that `/mcp` lists. */
export const readToolSets = (env: Env): ToolSet[] =>
  readOfferedTools(env) === 'none' ? [] : listToolSets(env.MCP_TOOLS || DEFAULT_TOOL_SETS)

/** Whether buttons, lists and carousels can be sent. */
export const isInteractive = (env: Env): boolean => env.INTERACTIVE === 'on'

/** Whether instances of kind `calls` are supported. */
export const areCallsEnabled = (env: Env): boolean => env.CALLS === 'on'

/** Whether the hosts keep the files of received messages. */
export const areMediaStored = (env: Env): boolean => env.MEDIA === 'keep'
