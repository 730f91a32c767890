// Handlers for all webhooks of an instance: its first, which `/webhook` configures too, and up to four beside it.

import type { Context } from 'hono'
import type { WebhookPatch } from '../../shared/contract/further-webhook-requests.ts'
import { checkDestination } from '../../shared/destination.ts'
import { Fault } from '../../shared/fault-table.ts'
import { notifySubscriptionChanged } from '../delivery/notify-couriers.ts'
import { parseEventNames } from '../delivery/webhook-body.ts'
import { hasSameHeaders, sealHeaders } from '../delivery/webhook-headers.ts'
import { planSecretChange, toFirstDestination, toFurtherDestination } from '../delivery/webhook-secrets.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { countUse } from '../http/token-rates.ts'
import { isUuid } from '../http/uuid.ts'
import { toFailureRecord } from '../records/event-record.ts'
import { toFirstRecord, toFurtherRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request-context.ts'
import type { FurtherWebhookRow } from '../store/events/due-events.ts'
import { listFailures } from '../store/events/event-queries.ts'
import {
  changeFurtherWebhook,
  deleteFurtherWebhook,
  insertFurtherWebhook,
  type ListedWebhook,
  listFurtherFailures,
  listFurtherWebhooks,
} from '../store/further-webhook-queries.ts'
import { buildSecretValues } from '../store/secret-change.ts'
import { findSubscription, type Subscribed, saveDestination, turnOff } from '../store/subscription-queries.ts'
import { MAX_FAILURES } from './event-routes.ts'
import { readHeaders, requireWebhooks } from './webhook-routes.ts'
import { sendTest } from './webhook-test-routes.ts'

type Found = { first: Subscribed } | { further: ListedWebhook }

export const furtherWebhookHandlers = {
  async listWebhooks(c) {
    requireWebhooks(c)
    const { store, instance } = c.var
    const [first, others] = await Promise.all([
      findSubscription(store, instance.id),
      listFurtherWebhooks(store, instance.id),
    ])
    const isActive = first && first.mode !== 'off'
    return { webhooks: [...(isActive ? [toFirstRecord(first)] : []), ...others.map(toFurtherRecord)] }
  },

  async addWebhook(c, { body }) {
    const { url, events, chats, headers, excludeMessages, enabled, secret } = body
    const checked = requireDestination(c, url)
    const names = parseEventNames(events)
    requireWebhooks(c)
    countUse(c, 'WEBHOOK_CHANGE_RATE')
    const { store, instance } = c.var
    const id = crypto.randomUUID()
    const now = Date.now()
    const insert = insertFurtherWebhook(store, {
      id,
      instanceId: instance.id,
      url: checked,
      ...names,
      enabled,
      createdAt: now,
      updatedAt: now,
      excludeMessages: excludeMessages?.length ? excludeMessages : null,
      chats: chats?.length ? chats : null,
      ...(await sealHeaders(c.env, id, headers ?? {})),
      ...buildSecretValues(await planSecretChange(c.env, id, null, secret)),
    })
    const [inserted] = await store.write([insert, ...buildAuditEntry(c, { ifChanged: true })])
    if (inserted?.rowsAffected !== 1) throw new Fault('too_many_webhooks')
    return respondWith(c, id)
  },

  async getWebhookById(c) {
    requireWebhooks(c)
    return { webhook: toRecord(await findWebhook(c)) }
  },

  async changeWebhook(c, { body }) {
    if (body.url !== undefined) requireDestination(c, body.url)
    if (body.events !== undefined) parseEventNames(body.events)
    requireWebhooks(c)
    const found = await findWebhook(c)
    if ('first' in found) await changeFirst(c, found.first, body)
    else await changeFurther(c, found.further, body)
    return respondWith(c, 'first' in found ? undefined : found.further.id)
  },

  async removeWebhook(c) {
    requireWebhooks(c)
    const found = await findWebhook(c)
    const { store, instance } = c.var
    countUse(c, 'WEBHOOK_CHANGE_RATE')
    const audit = buildAuditEntry(c, { ifChanged: true })
    if ('first' in found) await turnOff(store, instance.id, audit)
    else await store.write([deleteFurtherWebhook(store, instance.id, found.further.id), ...audit])
    await notifyChanged(c)
    return { success: true as const, deleted: true as const }
  },

  /** It is sent while delivery is paused too, because receivers are repaired then. */
  async testWebhookById(c) {
    requireWebhooks(c)
    const found = await findWebhook(c)
    return sendTest(
      c,
      'first' in found ? toFirstDestination(found.first) : toFurtherDestination(found.further),
    )
  },

  async listFailuresById(c) {
    requireWebhooks(c)
    const found = await findWebhook(c)
    const { store, instance } = c.var
    const rows = await ('first' in found
      ? listFailures(store, instance.id, MAX_FAILURES)
      : listFurtherFailures(store, found.further.id, MAX_FAILURES))
    return { errors: await Promise.all(rows.map((row) => toFailureRecord(c.env, row))) }
  },
} satisfies Partial<Handlers>

async function findWebhook(c: Context<EdgeEnv>): Promise<Found> {
  const id = (c.req.param('id') ?? '').toLowerCase()
  if (!isUuid(id)) throw new Fault('invalid_id', 'id must be a UUID.')
  const { store, instance } = c.var
  const [first, [further]] = await Promise.all([
    findSubscription(store, instance.id),
    listFurtherWebhooks(store, instance.id, id),
  ])
  if (first?.id === id && first.mode !== 'off') return { first }
  if (!further) throw new Fault('webhook_not_found')
  return { further }
}

const toRecord = (found: Found) =>
  'first' in found ? toFirstRecord(found.first) : toFurtherRecord(found.further)

/** Without an id, with the first. */
async function respondWith(c: Context<EdgeEnv>, id: string | undefined) {
  await notifyChanged(c)
  const { store, instance } = c.var
  if (id === undefined) {
    const first = await findSubscription(store, instance.id)
    if (!first) throw new Fault('webhook_not_found')
    return { webhook: toFirstRecord(first) }
  }
  const [further] = await listFurtherWebhooks(store, instance.id, id)
  if (!further) throw new Fault('webhook_not_found')
  return { webhook: toFurtherRecord(further) }
}

/** Before the first host there is nothing to deliver, and the courier must be created near that host. */
async function notifyChanged(c: Context<EdgeEnv>): Promise<void> {
  const { epoch, id } = c.var.instance
  if (epoch > 0) await notifySubscriptionChanged(c.env, id)
}

function requireDestination(c: Context<EdgeEnv>, url: string): string {
  const checked = checkDestination(url, c.env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed) throw new Fault('invalid_url', `url ${checked.why}.`)
  return checked.url
}

/** An inherited one becomes the instance's own. It is for all chats, as the contract's webhook is. */
async function changeFirst(c: Context<EdgeEnv>, first: Subscribed, patch: WebhookPatch): Promise<void> {
  if (patch.chats?.length) throw new Fault('invalid_body', 'chats must not be given for the first webhook.')
  const { store, instance } = c.var
  const own = first.mode === 'own'
  const destination = { ...first, ...readSettings(c, patch) }
  const secret = await planSecretChange(c.env, instance.id, own ? first.secret : null, patch.secret)
  const headers = await readHeaders(c, own ? first : undefined, patch.headers)
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const { url, events, ignoredEvents, excludeMessages, enabled, addUrlEvents, addUrlTypes } = destination
  await saveDestination(
    store,
    instance.id,
    { url, events, ignoredEvents, excludeMessages, enabled, addUrlEvents, addUrlTypes, ...headers },
    secret,
    buildAuditEntry(c, { ifChanged: true }),
  )
}

/** A change to what it is already is not written. */
async function changeFurther(
  c: Context<EdgeEnv>,
  webhook: ListedWebhook,
  patch: WebhookPatch,
): Promise<void> {
  const { store } = c.var
  const { id } = webhook
  const settings = {
    ...readSettings(c, patch),
    ...(patch.chats !== undefined && { chats: patch.chats?.length ? patch.chats : null }),
  }
  const secret = await planSecretChange(c.env, id, webhook.secret, patch.secret)
  const hasOtherHeaders =
    patch.headers !== undefined && !(await hasSameHeaders(c.env, id, webhook.headers, patch.headers))
  const names = Object.keys(settings) as (keyof typeof settings)[]
  const differs = names.some((name) => JSON.stringify(settings[name]) !== JSON.stringify(webhook[name]))
  if (!differs && !hasOtherHeaders && secret.kind === 'keep' && !webhook.gone) return skipAudit(c)
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const change: Partial<FurtherWebhookRow> = {
    ...settings,
    ...(hasOtherHeaders && (await sealHeaders(c.env, id, patch.headers ?? {}))),
    ...buildSecretValues(secret, webhook),
  }
  await store.write([
    ...changeFurtherWebhook(store, webhook, change),
    ...buildAuditEntry(c, { ifChanged: true }),
  ])
}

const readSettings = (c: Context<EdgeEnv>, { url, events, enabled, excludeMessages }: WebhookPatch) => ({
  ...(url !== undefined && { url: requireDestination(c, url) }),
  ...(events !== undefined && parseEventNames(events)),
  ...(enabled !== undefined && { enabled }),
  ...(excludeMessages !== undefined && { excludeMessages: excludeMessages?.length ? excludeMessages : null }),
})
