// Handlers for all webhooks of an instance: its first, which `/webhook` configures too, and up to four beside it.

import type { WebhookPatch } from '@msgnet/shared/contract/further-webhook-requests.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { notifySubscriptionChanged } from '../delivery/notify-couriers.ts'
import { parseEventNames } from '../delivery/webhook-body.ts'
import { changesDestination } from '../delivery/webhook-change.ts'
import { hasSameHeaders, sealHeaders } from '../delivery/webhook-headers.ts'
import {
  type Dropped,
  findDropped,
  planSecretChange,
  selectPredecessor,
  toFirstDestination,
  toFurtherDestination,
} from '../delivery/webhook-secrets.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { countUse } from '../http/token-rates.ts'
import { isUuid } from '../http/uuid.ts'
import type { FurtherWebhookRow } from '../objects/due-events.ts'
import { toFailureRecord } from '../records/event-record.ts'
import { hasAskedForPast, idleHealth, toFirstRecord, toFurtherRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { listFailures } from '../store/events/event-queries.ts'
import {
  changeFurtherWebhook,
  deleteFurtherWebhook,
  insertFurtherWebhook,
  isFull,
  type ListedWebhook,
  listFurtherFailures,
  listFurtherWebhooks,
} from '../store/further-webhook-queries.ts'
import { buildFirstSecret } from '../store/secret-change.ts'
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
    const hasPast = hasAskedForPast(instance)
    const isActive = first && first.mode !== 'off'
    return {
      webhooks: [
        ...(isActive ? [toFirstRecord(first, hasPast)] : []),
        ...others.map((row) => toFurtherRecord(row, hasPast)),
      ],
    }
  },

  async addWebhook(c, { body }) {
    const { url, events, chats, headers, excludeMessages, enabled, secret } = body
    const checked = requireDestination(c, url)
    const names = parseEventNames(events)
    requireWebhooks(c)
    const settings = {
      url: checked,
      ...names,
      enabled,
      excludeMessages: excludeMessages?.length ? excludeMessages : null,
      chats: chats?.length ? chats : null,
    }
    const webhook = await buildNewWebhook(c, settings, { secret, headers })
    const record = toFurtherRecord({ ...idleHealth, ...webhook }, hasAskedForPast(c.var.instance))
    const response = JSON.stringify({ webhook: record })
    await writeNew(c, insertFurtherWebhook(c.var.store, webhook), response)
    await notifyChanged(c)
    return c.body(response, 200, { 'content-type': 'application/json' })
  },

  async getWebhookById(c) {
    requireWebhooks(c)
    return { webhook: toRecord(await findWebhook(c), hasAskedForPast(c.var.instance)) }
  },

  async changeWebhook(c, { body }) {
    if (body.url !== undefined) requireDestination(c, body.url)
    if (body.events !== undefined) parseEventNames(body.events)
    requireWebhooks(c)
    const found = await findWebhook(c)
    const dropped = await ('first' in found
      ? changeFirst(c, found.first, body)
      : changeFurther(c, found.further, body))
    return { ...(await respondWith(c, 'first' in found ? undefined : found.further.id)), ...dropped }
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

type Settings = Pick<FurtherWebhookRow, 'url' | 'events' | 'ignoredEvents' | 'enabled' | 'excludeMessages'>
type Options = Partial<Pick<FurtherWebhookRow, 'addUrlEvents' | 'addUrlTypes'>>

interface Sealed {
  secret?: string | undefined
  headers?: Record<string, string> | undefined
}

/** Returns the row of a webhook that is going to be added. */
export async function buildNewWebhook<Given extends Settings & Options>(
  c: Context<EdgeEnv>,
  settings: Given,
  { secret, headers }: Sealed,
) {
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const id = crypto.randomUUID()
  const now = Date.now()
  return {
    chats: null,
    ...settings,
    id,
    instanceId: c.var.instance.id,
    createdAt: now,
    updatedAt: now,
    since: now,
    ...(await sealHeaders(c.env, id, headers ?? {})),
    ...buildFirstSecret(await planSecretChange(c.env, id, null, secret)),
  }
}

/** With a key, the webhook and the stored response are one write. */
async function writeNew(c: Context<EdgeEnv>, insert: Statement, response: string): Promise<void> {
  const { claim, store } = c.var
  const effects = [insert, ...buildAuditEntry(c)]
  try {
    await (claim ? claim.writeWithResponse(effects, 200, response) : store.write(effects))
  } catch (error) {
    throw isFull(error) ? new Fault('too_many_webhooks') : error
  }
}

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

const toRecord = (found: Found, hasPast: boolean) =>
  'first' in found ? toFirstRecord(found.first, hasPast) : toFurtherRecord(found.further, hasPast)

/** Without an id, with the first. */
async function respondWith(c: Context<EdgeEnv>, id: string | undefined) {
  await notifyChanged(c)
  const { store, instance } = c.var
  if (id === undefined) {
    const first = await findSubscription(store, instance.id)
    if (!first) throw new Fault('webhook_not_found')
    return { webhook: toRecord({ first }, hasAskedForPast(instance)) }
  }
  const [further] = await listFurtherWebhooks(store, instance.id, id)
  if (!further) throw new Fault('webhook_not_found')
  return { webhook: toRecord({ further }, hasAskedForPast(instance)) }
}

/** Before the first host there is nothing to deliver, and the courier must be created near that host. */
export async function notifyChanged(c: Context<EdgeEnv>): Promise<void> {
  const { epoch, id } = c.var.instance
  if (epoch > 0) await notifySubscriptionChanged(c.env, id)
}

function requireDestination(c: Context<EdgeEnv>, url: string): string {
  const checked = checkDestination(url, c.env.WEBHOOK_ALLOWLIST ?? '')
  if (!checked.allowed) throw new Fault('invalid_url', `url ${checked.why}.`)
  return checked.url
}

/**
 * An inherited one becomes the instance's own, with a URL of its own: that of the server may contain a credential. It is for all
 * chats, as the contract's webhook is.
 */
async function changeFirst(c: Context<EdgeEnv>, first: Subscribed, patch: WebhookPatch): Promise<Dropped> {
  if (patch.chats?.length) throw new Fault('invalid_body', 'chats must not be given for the first webhook.')
  const { store, instance } = c.var
  const own = first.mode === 'own' ? first : undefined
  if (!own && patch.url === undefined)
    throw new Fault('invalid_url', 'url must be given, because the present webhook is that of the server.')
  const { url, events, ignoredEvents, excludeMessages, enabled, addUrlEvents, addUrlTypes } = {
    ...first,
    ...readSettings(c, patch),
  }
  const previous = selectPredecessor(own, url)
  const secret = await planSecretChange(c.env, instance.id, previous?.secret ?? null, patch.secret)
  const destination = {
    url,
    events,
    ignoredEvents,
    excludeMessages,
    enabled,
    addUrlEvents,
    addUrlTypes,
    ...(await readHeaders(c, previous, patch.headers)),
  }
  if (changesDestination(first, destination, secret)) countUse(c, 'WEBHOOK_CHANGE_RATE')
  await saveDestination(store, instance.id, destination, secret, buildAuditEntry(c, { ifChanged: true }))
  return findDropped(own, url, patch)
}

async function changeFurther(
  c: Context<EdgeEnv>,
  webhook: ListedWebhook,
  patch: WebhookPatch,
): Promise<Dropped> {
  const requested = {
    ...readSettings(c, patch),
    ...(patch.chats !== undefined && { chats: patch.chats?.length ? patch.chats : null }),
  }
  return saveFurtherWebhook(c, webhook, requested, patch)
}

/** A change to what it is already is not written. Returns what it has dropped. */
export async function saveFurtherWebhook(
  c: Context<EdgeEnv>,
  webhook: ListedWebhook,
  requested: Partial<Settings & Options & Pick<FurtherWebhookRow, 'chats'>>,
  sealed: Sealed,
): Promise<Dropped> {
  const { id, instanceId } = webhook
  const { headers } = sealed
  const url = requested.url ?? webhook.url
  const previous = selectPredecessor(webhook, url)
  const hasOtherHeaders =
    headers !== undefined && !(await hasSameHeaders(c.env, id, previous?.headers ?? null, headers))
  const settings = {
    ...pickOther(requested, webhook),
    ...(hasOtherHeaders && (await sealHeaders(c.env, id, headers))),
  }
  const secret = await planSecretChange(c.env, id, previous?.secret ?? null, sealed.secret)
  const keepsSecret = secret.kind === 'keep' || (secret.kind === 'remove' && !webhook.secret)
  if (Object.keys(settings).length === 0 && keepsSecret && !webhook.gone) {
    skipAudit(c)
    return {}
  }
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const { store } = c.var
  const also = buildAuditEntry(c, { ifChanged: true })
  if (await changeFurtherWebhook(store, webhook, { settings, secret, also }))
    return findDropped(webhook, url, sealed)
  const [changed] = await listFurtherWebhooks(store, instanceId, id)
  if (!changed) throw new Fault('webhook_not_found')
  return saveFurtherWebhook(c, changed, requested, sealed)
}

/** What is requested and not so already. */
const pickOther = <Requested extends object>(requested: Requested, present: Requested): Partial<Requested> =>
  Object.fromEntries(
    Object.entries(requested).filter(
      ([name, wanted]) => JSON.stringify(wanted) !== JSON.stringify(present[name as keyof Requested]),
    ),
  ) as Partial<Requested>

const readSettings = (c: Context<EdgeEnv>, { url, events, enabled, excludeMessages }: WebhookPatch) => ({
  ...(url !== undefined && { url: requireDestination(c, url) }),
  ...(events !== undefined && parseEventNames(events)),
  ...(enabled !== undefined && { enabled }),
  ...(excludeMessages !== undefined && { excludeMessages: excludeMessages?.length ? excludeMessages : null }),
})
