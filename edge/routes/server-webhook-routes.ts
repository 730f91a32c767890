// Handlers for the global webhook, which receives the events of every instance without its own choice.

import type { ServerWebhook } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import type { Context } from 'hono'
import { bootstrapServerWebhook } from '../delivery/bootstrap-webhook.ts'
import { wakeDueCouriers } from '../delivery/wake-due-couriers.ts'
import { parseServerWebhookBody } from '../delivery/webhook-body.ts'
import {
  type Dropped,
  findDropped,
  planSecretChange,
  SERVER_OWNER,
  selectPredecessor,
} from '../delivery/webhook-secrets.ts'
import { hasScope } from '../http/auth.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { stripQuery, toServerWebhookRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import {
  clearServerWebhook,
  findServerWebhook,
  type ServerWebhookRow,
  saveServerWebhook,
} from '../store/server-webhook-queries.ts'
import { chooseFormat, readCurrentOptions, requireWebhooks } from './webhook-routes.ts'

export const serverWebhookHandlers = {
  async configureServerWebhook(c, { body }) {
    const change = parseServerWebhookBody(body, c.env.WEBHOOK_ALLOWLIST ?? '', c.env.dialect.allowsUrlOptions)
    requireWebhooks(c)
    const { store } = c.var
    let dropped: Dropped = {}
    if (change.action === 'save') {
      const { secret, headers: _, format, ...chosen } = change.destination
      const current = await findServerWebhook(store)
      const destination = {
        ...readCurrentOptions(c, current),
        ...chosen,
        format: chooseFormat(c, format, current?.registered ? current.format : undefined),
      }
      const { url } = destination
      dropped = findDropped(current, url, { secret })
      const previous = selectPredecessor(current, url)
      const secretChange = await planSecretChange(c.env, SERVER_OWNER, previous?.secret ?? null, secret)
      await saveServerWebhook(
        store,
        'saved',
        destination,
        secretChange,
        buildAuditEntry(c, { ifChanged: true }),
      )
    } else {
      await clearServerWebhook(store, 'saved', buildAuditEntry(c, { ifChanged: true }))
    }
    // Delivers what waited during a pause. It may be much, so the caller does not wait for it.
    c.executionCtx.waitUntil(wakeDueCouriers(c.env))
    return { ...(await readRecord(c)), ...dropped }
  },

  getServerWebhook: (c) => readRecord(c),
} satisfies Partial<Handlers>

async function readRecord(c: Context<EdgeEnv>): Promise<ServerWebhook> {
  requireWebhooks(c)
  await bootstrapServerWebhook(c.env, c.var.store)
  return toServerWebhookRecord(await findVisibleWebhook(c), c.env.dialects)
}

/** The webhook as this caller may see it. */
export async function findVisibleWebhook(c: Context<EdgeEnv>): Promise<ServerWebhookRow | undefined> {
  const row = await findServerWebhook(c.var.store)
  return row && !hasScope(c.var.actor, 'operate') ? { ...row, url: stripQuery(row.url) } : row
}
