// Handlers for the webhook of an instance: its own destination, off, or the server's global one.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../context.ts'
import { secretChange } from '../delivery/secrets.ts'
import { notifySubscriptionChanged } from '../delivery/wake.ts'
import { meantWebhook, readSubscription } from '../delivery/webhook-body.ts'
import { changesDestination, changesMode } from '../delivery/webhook-change.ts'
import { speaksFamily, webhooksOn } from '../env.ts'
import { auditOf } from '../http/audit.ts'
import type { Handlers } from '../http/serve.ts'
import { countUse } from '../http/token-rates.ts'
import { subscriptionRecord } from '../records/subscription.ts'
import { hasOwnChoice, inherit, saveDestination, subscriptionOf, turnOff } from '../store/subscriptions.ts'

export const webhookHandlers = {
  async configureWebhook(c, { body }) {
    const wanted = readSubscription(body, c.env.WEBHOOK_ALLOWLIST ?? '', speaksFamily(c.env))
    needWebhooks(c)
    const { store, instance } = c.var
    const current = await subscriptionOf(store, instance.id)
    const meant = meantWebhook(body)
    if (meant !== undefined && (current?.mode === 'off' || current?.id !== meant.toLowerCase()))
      throw new Fault('webhook_not_found')
    switch (wanted.action) {
      case 'delete':
        if (changesMode(current, 'delete')) countUse(c, 'WEBHOOK_CHANGE_RATE')
        await turnOff(store, instance.id, auditOf(c, { ifChanged: true }))
        break
      case 'inherit':
        if (changesMode(current, 'inherit')) countUse(c, 'WEBHOOK_CHANGE_RATE')
        await inherit(store, instance.id, auditOf(c, { onlyIf: hasOwnChoice(instance.id) }))
        break
      case 'save': {
        const { secret, ...destination } = wanted.destination
        const own = current?.mode === 'own' ? current.secret : null
        const change = await secretChange(c.env, instance.id, own, secret)
        if (changesDestination(current, destination, change)) countUse(c, 'WEBHOOK_CHANGE_RATE')
        await saveDestination(store, instance.id, destination, change, auditOf(c, { ifChanged: true }))
      }
    }
    // Before the first host there is nothing to deliver, and the courier must be created near that host.
    if (instance.epoch > 0) await notifySubscriptionChanged(c.env, instance.id)
    if (wanted.action === 'delete') return { success: true, deleted: true }
    return subscriptionRecord(await subscriptionOf(store, instance.id))
  },

  async getWebhook(c) {
    needWebhooks(c)
    return subscriptionRecord(await subscriptionOf(c.var.store, c.var.instance.id))
  },
} satisfies Partial<Handlers>

export function needWebhooks(c: Context<EdgeEnv>): void {
  if (!webhooksOn(c.env)) throw new Fault('webhooks_disabled')
}
