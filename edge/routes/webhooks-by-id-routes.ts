// Handlers for all webhooks of an instance by their ids. The first of them is what `/webhook` configures too.

import type { DeliveryFailure } from '@msgnet/shared/contract/responses/event-responses.ts'
import type { WebhookPatch } from '@msgnet/shared/contract/webhooks-by-id-requests.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { notifySubscriptionChanged } from '../delivery/notify-couriers.ts'
import { parseEventNames } from '../delivery/webhook-body.ts'
import { hasSameHeaders, sealHeaders } from '../delivery/webhook-headers.ts'
import {
  type Dropped,
  findDropped,
  findOwner,
  planSecretChange,
  selectPredecessor,
  toDestination,
} from '../delivery/webhook-secrets.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { countUse } from '../http/token-rates.ts'
import { isUuid } from '../http/uuid.ts'
import type { WebhookRow } from '../objects/due-events.ts'
import { toFailureRecord } from '../records/event-record.ts'
import { hasAskedForPast, idleHealth, toListedRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { listFailures, listFirstFailures } from '../store/events/outcome-queries.ts'
import { buildFirstSecret } from '../store/secret-change.ts'
import {
  changeWebhook,
  deleteWebhook,
  findWebhook,
  insertWebhook,
  isFull,
  type ListedWebhook,
  listWebhooks,
  pickUrlOptions,
  saveFirstWebhook,
  turnOffFirst,
} from '../store/webhook-queries.ts'
import { MAX_FAILURES } from './event-routes.ts'
import {
  chooseFormat,
  readHeaders,
  readOptions,
  requireMayReceive,
  requireWebhooks,
} from './webhook-routes.ts'
import { sendTest } from './webhook-test-routes.ts'

export const webhookByIdHandlers = {
  async listWebhooks(c) {
    requireWebhooks(c)
    const { store, instance } = c.var
    const hasPast = hasAskedForPast(instance)
    const rows = await listWebhooks(store, instance.id)
    return { webhooks: rows.map((row) => toListedRecord(row, hasPast, c.env.dialects)) }
  },

  async addWebhook(c, { body }) {
    const { url, events, chats, headers, excludeMessages, enabled, secret, format } = body
    const checked = requireDestination(c, url)
    const names = parseEventNames(events)
    requireWebhooks(c)
    const settings = {
      url: checked,
      ...names,
      enabled,
      format: chooseFormat(c, format, undefined),
      excludeMessages: excludeMessages?.length ? excludeMessages : null,
      chats: chats?.length ? chats : null,
      formatOptions: c.env.dialect.readFormatOptions(body) ?? null,
    }
    const webhook = await buildNewWebhook(c, settings, { secret, headers })
    const hasPast = hasAskedForPast(c.var.instance)
    const record = toListedRecord({ ...idleHealth, ...webhook }, hasPast, c.env.dialects)
    const response = JSON.stringify({ webhook: record })
    const unique = c.env.dialect.addsUrlsOnce ? 'url and format' : undefined
    await writeNew(c, insertWebhook(c.var.store, webhook, { unique }), response)
    await notifyChanged(c)
    return c.body(response, 200, { 'content-type': 'application/json' })
  },

  async getWebhookById(c) {
    requireWebhooks(c)
    return { webhook: await readNamed(c) }
  },

  async changeWebhook(c, { body }) {
    if (body.url !== undefined) requireDestination(c, body.url)
    if (body.events !== undefined) parseEventNames(body.events)
    requireWebhooks(c)
    const webhook = await requireNamed(c)
    const requested = readSettings(c, body, webhook)
    const dropped = await (webhook.mode === 'own'
      ? saveWebhook(c, webhook, requested, body)
      : makeOwn(c, webhook, requested, body))
    await notifyChanged(c)
    return { webhook: await readNamed(c), ...dropped }
  },

  async removeWebhook(c) {
    requireWebhooks(c)
    await removeWebhook(c, await requireNamed(c))
    return { success: true as const, deleted: true as const }
  },

  /** It is sent while delivery is paused too, because receivers are repaired then. */
  async testWebhookById(c) {
    requireWebhooks(c)
    return sendTest(c, toDestination(await requireNamed(c)))
  },

  async listFailuresById(c) {
    requireWebhooks(c)
    return { errors: await loadFailures(c, await requireNamed(c)) }
  },
} satisfies Partial<Handlers>

const readNamed = async (c: Context<EdgeEnv>) =>
  toListedRecord(await requireNamed(c), hasAskedForPast(c.var.instance), c.env.dialects)

type Settings = Pick<
  WebhookRow,
  'format' | 'url' | 'events' | 'ignoredEvents' | 'enabled' | 'excludeMessages'
>
type Options = Partial<Pick<WebhookRow, 'addUrlEvents' | 'addUrlTypes' | 'formatOptions'>>
type Requested = Partial<Settings & Options & Pick<WebhookRow, 'chats'>>

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
    formatOptions: null,
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

export async function loadFailures(c: Context<EdgeEnv>, webhook: ListedWebhook): Promise<DeliveryFailure[]> {
  const { store, instance } = c.var
  const rows = await (webhook.position === 0
    ? listFirstFailures(store, instance.id, MAX_FAILURES)
    : listFailures(store, webhook, MAX_FAILURES))
  return Promise.all(rows.map((row) => toFailureRecord(c.env, row)))
}

async function requireNamed(c: Context<EdgeEnv>): Promise<ListedWebhook> {
  const id = c.req.param('id') ?? ''
  if (!isUuid(id)) throw new Fault('invalid_id', 'id must be a UUID.')
  return requireWebhook(c, id)
}

/** Of the request's instance. */
export async function requireWebhook(c: Context<EdgeEnv>, id: string): Promise<ListedWebhook> {
  const found = await findWebhook(c.var.store, c.var.instance.id, id.toLowerCase())
  if (!found) throw new Fault('webhook_not_found')
  return found
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

/** An inherited one becomes the instance's own, with a URL of its own: that of the server may contain a credential. */
async function makeOwn(
  c: Context<EdgeEnv>,
  inherited: ListedWebhook,
  requested: Requested,
  { secret, headers }: Sealed,
): Promise<Dropped> {
  const { url } = requested
  if (url === undefined)
    throw new Fault('invalid_url', 'url must be given, because the present webhook is that of the server.')
  const { events, ignoredEvents, excludeMessages, enabled, format } = inherited
  const destination = {
    events,
    ignoredEvents,
    excludeMessages,
    enabled,
    format,
    ...pickUrlOptions(inherited),
    ...requested,
    url,
    ...(await readHeaders(c, undefined, headers)),
  }
  const { store, instance } = c.var
  const change = await planSecretChange(c.env, findOwner(inherited), null, secret)
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  await saveFirstWebhook(store, instance.id, destination, change, buildAuditEntry(c, { ifChanged: true }))
  return {}
}

/** Of an own one. A change to what it is already is not written. Returns what it has dropped. */
export async function saveWebhook(
  c: Context<EdgeEnv>,
  webhook: ListedWebhook,
  requested: Requested,
  sealed: Sealed,
): Promise<Dropped> {
  const owner = findOwner(webhook)
  const { headers } = sealed
  const url = requested.url ?? webhook.url
  const previous = selectPredecessor(webhook, url)
  const hasOtherHeaders =
    headers !== undefined && !(await hasSameHeaders(c.env, owner, previous?.headers ?? null, headers))
  const settings = {
    ...pickOther(requested, webhook),
    ...(hasOtherHeaders && (await sealHeaders(c.env, owner, headers))),
  }
  const secret = await planSecretChange(c.env, owner, previous?.secret ?? null, sealed.secret)
  const keepsSecret = secret.kind === 'keep' || (secret.kind === 'remove' && !webhook.secret)
  if (Object.keys(settings).length === 0 && keepsSecret && !webhook.gone) {
    skipAudit(c)
    return {}
  }
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const { store } = c.var
  const also = buildAuditEntry(c, { ifChanged: true })
  if (await changeWebhook(store, webhook, { settings, secret, also }))
    return findDropped(webhook, url, sealed)
  const changed = await findWebhook(store, webhook.instanceId, webhook.id)
  if (changed?.mode !== 'own') throw new Fault('webhook_not_found')
  return saveWebhook(c, changed, requested, sealed)
}

/** The first is turned off; another is not there any more. */
export async function removeWebhook(c: Context<EdgeEnv>, webhook: ListedWebhook): Promise<void> {
  const { store, instance } = c.var
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const audit = buildAuditEntry(c, { ifChanged: true })
  await (webhook.position === 0
    ? turnOffFirst(store, instance.id, audit)
    : deleteWebhook(store, webhook, audit))
  await notifyChanged(c)
}

/** What is requested and not so already. */
const pickOther = <Wanted extends object>(requested: Wanted, present: Wanted): Partial<Wanted> =>
  Object.fromEntries(
    Object.entries(requested).filter(
      ([name, wanted]) => JSON.stringify(wanted) !== JSON.stringify(present[name as keyof Wanted]),
    ),
  ) as Partial<Wanted>

function readSettings(c: Context<EdgeEnv>, patch: WebhookPatch, present: WebhookRow): Requested {
  const { url, events, enabled, excludeMessages, chats } = patch
  const format = patch.format === undefined ? undefined : chooseFormat(c, patch.format, undefined)
  if (url !== undefined && format === undefined) requireMayReceive(c, present.format)
  const formatOptions = readOptions(c, patch, { format, present })
  return {
    ...(format !== undefined && { format }),
    ...(formatOptions !== undefined && { formatOptions }),
    ...(url !== undefined && { url: requireDestination(c, url) }),
    ...(events !== undefined && parseEventNames(events)),
    ...(enabled !== undefined && { enabled }),
    ...(excludeMessages !== undefined && {
      excludeMessages: excludeMessages?.length ? excludeMessages : null,
    }),
    ...(chats !== undefined && { chats: chats?.length ? chats : null }),
  }
}
