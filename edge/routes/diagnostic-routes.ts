// Handlers for liveness, readiness, and the capabilities of this server.

import { CONTRACT_VERSION, PHASE } from '@msgnet/shared/contract/contract-version.ts'
import { importFormats } from '@msgnet/shared/contract/import-lines.ts'
import { MIB } from '@msgnet/shared/contract/limits.ts'
import { publicLimits } from '@msgnet/shared/contract/public-limits.ts'
import type { Capabilities, NotReady } from '@msgnet/shared/contract/responses/diagnostics-responses.ts'
import type { Context } from 'hono'
import { findIssuer } from '../authorization/public-address.ts'
import type { Handlers } from '../http/serve-route.ts'
import { log } from '../observability/edge-log.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import {
  areCallsEnabled,
  areMediaStored,
  areWebhooksEnabled,
  isInteractive,
  readLimit,
  readOfferedTools,
  readSendBurst,
  readSendRate,
  readToolSets,
} from '../settings/env.ts'
import { pingDatabase } from '../store/database/open-store.ts'

/** Checks the database only. */
async function checkReadiness(c: Context<EdgeEnv>) {
  try {
    await pingDatabase(c.env)
    return { status: 'ready' as const }
  } catch (error) {
    log(c.env, 'warn', 'failed to reach database', { error })
    return c.json<NotReady>({ status: 'not_ready', reason: 'database_unreachable' }, 503)
  }
}

/** What every server of this version has. */
const built = {
  messages: true,
  events: true,
  media: true,
  voiceNotes: true,
  stickers: true,
  linkPreviews: true,
  albums: true,
  groups: true,
  chats: true,
  replay: true,
  furtherWebhooks: true,
  stream: true,
  history: true,
  coverage: true,
  recover: true,
  overview: true,
  contacts: true,
  labels: true,
  polls: true,
  statusPosts: true,
  presence: true,
  pins: true,
  stars: true,
  scheduled: true,
  scopedTokens: true,
  limits: true,
  identity: true,
  profile: true,
  privacy: true,
  passkeys: true,
  acting: true,
  links: true,
} as const

function describeCapabilities(c: Context<EdgeEnv>): Capabilities {
  return {
    status: PHASE,
    version: CONTRACT_VERSION,
    scope: c.get('actor').scope ?? 'read',
    instance_kinds: areCallsEnabled(c.env) ? ['msgnet', 'calls'] : ['msgnet'],
    tool_sets: readToolSets(c.env),
    capabilities: {
      ...built,
      webhooks: areWebhooksEnabled(c.env),
      calls: areCallsEnabled(c.env),
      callsOutbound: false,
      mediaStored: areMediaStored(c.env),
      interactive: isInteractive(c.env),
      import: importFormats,
      dialects: c.env.dialects.names,
      tools: readOfferedTools(c.env) !== 'none',
      authorization: findIssuer(c) !== undefined,
    },
    limits: describeLimits(c),
  }
}

const describeLimits = ({ env }: Context<EdgeEnv>): Capabilities['limits'] => ({
  ...publicLimits,
  sendsPerSecond: readSendRate(env),
  sendsAtOnce: readSendBurst(env),
  requestsPerMinute: readLimit(env, 'REQUEST_RATE'),
  streamsPerMinute: readLimit(env, 'STREAM_RATE'),
  webhookChangesPerMinute: readLimit(env, 'WEBHOOK_CHANGE_RATE'),
  pageBytesPerMinute: readLimit(env, 'PAGE_MB') * MIB,
  openPageBytesPerMinute: readLimit(env, 'OPEN_PAGE_MB') * MIB,
  instanceBodyBytes: readLimit(env, 'INSTANCE_BODY_MB') * MIB,
  allBodyBytes: readLimit(env, 'BODY_MB') * MIB,
})

export const diagnosticHandlers = {
  checkLive: () => ({ status: 'live' as const }),
  checkReady: checkReadiness,
  getCapabilities: describeCapabilities,
} satisfies Partial<Handlers>
