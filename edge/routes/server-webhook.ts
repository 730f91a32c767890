// The global webhook: where the events of every instance go that made no choice of its own.

import type { Context } from 'hono'
import type { ServerWebhook } from '../../shared/contract/answers/webhook.ts'
import type { EdgeEnv } from '../context.ts'
import { bootstrapServerWebhook } from '../delivery/bootstrap.ts'
import { SERVER, secretChange } from '../delivery/secrets.ts'
import { wakeDue } from '../delivery/wake-due.ts'
import type { Taking } from '../http/body.ts'
import { serverWebhookRecord } from '../records/subscription.ts'
import { clearServerWebhook, findServerWebhook, saveServerWebhook } from '../store/server-webhook.ts'
import { needWebhooks } from './webhook.ts'
import { readServerWebhook, type WebhookBody } from './webhook-body.ts'

export async function configureServerWebhook(c: Taking<typeof WebhookBody>) {
  const wanted = readServerWebhook(c.req.valid('json'), c.env.WEBHOOK_ALLOWLIST ?? '')
  needWebhooks(c)
  const { store } = c.var
  if (wanted.action === 'save') {
    const { secret, ...destination } = wanted.destination
    const current = await findServerWebhook(store)
    const change = await secretChange(c.env, SERVER, current?.secret ?? null, secret)
    await saveServerWebhook(store, 'saved', destination, change)
  } else {
    await clearServerWebhook(store, 'saved')
  }
  // What waited while it was paused, if it does not any more. There may be much: the caller need not see the end of it.
  c.executionCtx.waitUntil(wakeDue(c.env))
  return showServerWebhook(c)
}

export async function showServerWebhook(c: Context<EdgeEnv>) {
  needWebhooks(c)
  await bootstrapServerWebhook(c.env, c.var.store)
  return c.json<ServerWebhook>(serverWebhookRecord(await findServerWebhook(c.var.store)))
}
