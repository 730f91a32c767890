// Handlers for liveness, readiness, and the capabilities of this server.

import type { Context } from 'hono'
import type { Capabilities, NotReady } from '../../shared/contract/answers/diagnostics.ts'
import { CONTRACT_VERSION, limits, MIB, PHASE, sendRate } from '../../shared/contract/version.ts'
import type { EdgeEnv } from '../context.ts'
import { callsOn, readLimit, sendRateOf, toolsOffered, webhooksOn } from '../env.ts'
import type { Handlers } from '../http/serve.ts'
import { log, reasonOf } from '../log.ts'
import { pingDatabase } from '../store/database/database.ts'

/** Checks the database only. */
async function ready(c: Context<EdgeEnv>) {
  try {
    await pingDatabase(c.env)
    return { status: 'ready' as const }
  } catch (error) {
    log(c.env, 'warn', 'not ready', { reason: reasonOf(error) })
    return c.json<NotReady>({ status: 'not_ready', reason: 'database_unreachable' }, 503)
  }
}

function capabilities(c: Context<EdgeEnv>): Capabilities {
  const sendsPerSecond = sendRateOf(c.env)
  return {
    status: PHASE,
    version: CONTRACT_VERSION,
    instance_kinds: callsOn(c.env) ? ['msgnet', 'calls'] : ['msgnet'],
    capabilities: {
      messages: true,
      webhooks: webhooksOn(c.env),
      events: true,
      calls: callsOn(c.env),
      callsOutbound: false,
      media: true,
      groups: true,
      chats: true,
      replay: true,
      stream: true,
      contacts: true,
      labels: true,
      polls: true,
      statusPosts: true,
      limits: true,
      identity: true,
      profile: true,
      privacy: true,
      passkeys: true,
      tools: toolsOffered(c.env) !== 'none',
    },
    limits: {
      ...limits,
      ...{ sendsPerSecond, sendsAtOnce: sendsPerSecond * sendRate.burstSeconds },
      requestsPerMinute: readLimit(c.env, 'REQUEST_RATE'),
      streamsPerMinute: readLimit(c.env, 'STREAM_RATE'),
      webhookChangesPerMinute: readLimit(c.env, 'WEBHOOK_CHANGE_RATE'),
      instanceBodyBytes: readLimit(c.env, 'INSTANCE_BODY_MB') * MIB,
      allBodyBytes: readLimit(c.env, 'BODY_MB') * MIB,
    },
  }
}

export const diagnosticHandlers = {
  checkLive: () => ({ status: 'live' as const }),
  checkReady: ready,
  getCapabilities: capabilities,
} satisfies Partial<Handlers>
