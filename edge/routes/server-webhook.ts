// Handlers for the global webhook, which receives the events of every instance without its own choice.

import type { Context } from 'hono'
import type { ServerWebhook } from '../../shared/contract/answers/webhook.ts'
import type { EdgeEnv } from '../context.ts'
import { bootstrapServerWebhook } from '../delivery/bootstrap.ts'
import { SERVER, secretChange } from '../delivery/secrets.ts'
import { wakeDue } from '../delivery/wake-due.ts'
import { readServerWebhook } from '../delivery/webhook-body.ts'
import { speaksFamily } from '../env.ts'
import { auditOf } from '../http/audit.ts'
import { holdsScope } from '../http/auth.ts'
import type { Handlers } from '../http/serve.ts'
import { serverWebhookRecord, withoutQuery } from '../records/subscription.ts'
import {
  clearServerWebhook,
  findServerWebhook,
  type ServerWebhookRow,
  saveServerWebhook,
} from '../store/server-webhook.ts'
import { needWebhooks } from './webhook.ts'

export const serverWebhookHandlers = {
  async configureServerWebhook(c, { body }) {
    const wanted = readServerWebhook(body, c.env.WEBHOOK_ALLOWLIST ?? '', speaksFamily(c.env))
    needWebhooks(c)
    const { store } = c.var
    if (wanted.action === 'save') {
      const { secret, ...destination } = wanted.destination
      const current = await findServerWebhook(store)
      const change = await secretChange(c.env, SERVER, current?.secret ?? null, secret)
      await saveServerWebhook(store, 'saved', destination, change, auditOf(c, { ifChanged: true }))
    } else {
      await clearServerWebhook(store, 'saved', auditOf(c, { ifChanged: true }))
    }
    // Delivers what waited during a pause. It may be much, so the caller does not wait for it.
    c.executionCtx.waitUntil(wakeDue(c.env))
    return shown(c)
  },

  getServerWebhook: (c) => shown(c),
} satisfies Partial<Handlers>

async function shown(c: Context<EdgeEnv>): Promise<ServerWebhook> {
  needWebhooks(c)
  await bootstrapServerWebhook(c.env, c.var.store)
  return serverWebhookRecord(await findVisibleWebhook(c))
}

/** The webhook as this caller may see it. */
export async function findVisibleWebhook(c: Context<EdgeEnv>): Promise<ServerWebhookRow | undefined> {
  const row = await findServerWebhook(c.var.store)
  return row && !holdsScope(c.var.actor, 'operate') ? { ...row, url: withoutQuery(row.url) } : row
}
