// Handlers for the webhooks of an instance as clients of uazapi know them: one array of records, added, updated and deleted.

import { isEmptyField } from '@msgnet/shared/contract/empty-fields.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { parseWebhookBody, type RequestedDestination } from '../delivery/webhook-body.ts'
import { type Dropped, planSecretChange } from '../delivery/webhook-secrets.ts'
import { buildAuditEntry, skipAudit } from '../http/record-audit.ts'
import type { AnyHandler } from '../http/serve-route.ts'
import { countUse } from '../http/token-rates.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { MAX_FAILURES } from '../routes/event-routes.ts'
import { buildNewWebhook, notifyChanged, saveFurtherWebhook } from '../routes/further-webhook-routes.ts'
import { readHeaders, requireWebhooks, webhookHandlers } from '../routes/webhook-routes.ts'
import { listFailures } from '../store/events/event-queries.ts'
import {
  deleteFurtherWebhook,
  insertFurtherWebhook,
  isFull,
  type ListedWebhook,
  listFurtherFailures,
  listFurtherWebhooks,
} from '../store/further-webhook-queries.ts'
import { findSubscription, type Subscribed, saveFirstDestination } from '../store/subscription-queries.ts'
import { type FailureGroup, listUazapiFailures, toUazapiWebhooks } from './uazapi-records.ts'

type UazapiContext = Context<EdgeEnv>
type Body = Record<string, unknown>

interface Webhooks {
  first: Subscribed | undefined
  others: ListedWebhook[]
}

async function readWebhooks(c: UazapiContext): Promise<Webhooks> {
  const { store, instance } = c.var
  const [first, others] = await Promise.all([
    findSubscription(store, instance.id),
    listFurtherWebhooks(store, instance.id),
  ])
  return { first: first?.mode === 'off' ? undefined : first, others }
}

/** What a save has dropped of the webhook with this id. */
interface Saved extends Dropped {
  id: string
}

const listAll = async (c: UazapiContext, saved?: Saved) =>
  toUazapiWebhooks(await readWebhooks(c)).map((record) => ({
    ...record,
    ...(record.id === saved?.id && saved),
  }))

export const getWebhook: AnyHandler = async (c) => {
  requireWebhooks(c)
  return listAll(c)
}

/** At most so many requests that add one can come before each other. */
const MAX_ROUNDS = limits.maxWebhooks + 1

/**
 * Without an id it is the webhook with this URL, or the only one of the instance. So a program that adds its webhook at each start
 * has one, and one that knows of no others ends no other.
 */
export const configureWebhook: AnyHandler = async (c, { body }) => {
  requireWebhooks(c)
  if (body.action === 'inherit') {
    await configureFirst(c, body)
    return listAll(c)
  }
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const all = await readWebhooks(c)
    const found = findWebhook(c, all, body)
    if (found && body.action !== 'delete') return listAll(c, await saveWebhook(c, found, body))
    const isDone = await (body.action === 'delete' ? removeWebhook(c, found) : addWebhook(c, all, body))
    if (isDone) return listAll(c)
  }
  throw new Fault('too_many_webhooks')
}

type Found = Subscribed | ListedWebhook

const isFirst = (webhook: Found): webhook is Subscribed => 'mode' in webhook

/** The webhook that the body means; undefined if that is a new one. */
function findWebhook(c: UazapiContext, { first, others }: Webhooks, body: Body): Found | undefined {
  const { id } = body
  const action = body.action || undefined
  const isNamed = typeof id === 'string' && id !== '' && action !== 'add'
  const all = first ? [first, ...others] : others
  const named = isNamed ? all.find((one) => one.id === id.toLowerCase()) : undefined
  if (named) return named
  if (isNamed && action !== undefined) throw new Fault('webhook_not_found')
  // The webhook of the server belongs to no program of the instance.
  const own = all.filter((one) => !isFirst(one) || one.mode === 'own')
  const url = normalizeUrl(c, body.url)
  const same = own.find((one) => one.url === url)
  if (same || action === 'add') return same
  if (own.length > 1 && (action === 'update' || action === 'delete'))
    throw new Fault('invalid_id', 'id must name one of the webhooks, because the instance has several.')
  return own.length === 1 ? own[0] : undefined
}

function normalizeUrl(c: UazapiContext, url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined
  const checked = checkDestination(url, c.env.WEBHOOK_ALLOWLIST ?? '')
  return checked.allowed ? checked.url : url
}

function parseDestination(c: UazapiContext, body: Body): RequestedDestination {
  const requested = parseWebhookBody(body, c.env.WEBHOOK_ALLOWLIST ?? '', c.env.dialect.allowsUrlOptions)
  if (requested.action !== 'save') throw new Fault('invalid_action')
  return requested.destination
}

const isAbsent = (value: unknown): boolean => value === undefined || isEmptyField(value, true)

async function removeWebhook(c: UazapiContext, found: Found | undefined): Promise<boolean> {
  if (!found) skipAudit(c)
  else if (isFirst(found)) await configureFirst(c, { action: 'delete', id: found.id })
  else {
    countUse(c, 'WEBHOOK_CHANGE_RATE')
    const { store, instance } = c.var
    const remove = deleteFurtherWebhook(store, instance.id, found.id)
    await store.write([remove, ...buildAuditEntry(c, { ifChanged: true })])
    await notifyChanged(c)
  }
  return true
}

/** The events stay if the body names none; everything else that it leaves out is as in a new one. */
async function saveWebhook(c: UazapiContext, found: Found, body: Body): Promise<Saved> {
  const whole: Body = { ...body }
  if (isAbsent(body.url)) whole.url = found.url
  if (isAbsent(body.events)) whole.events = [...found.events, ...found.ignoredEvents]
  const { id } = found
  if (isFirst(found)) {
    const { dropped } = (await configureFirst(c, { ...whole, action: 'update', id })) as Dropped
    return { id, ...(dropped && { dropped }) }
  }
  const { secret, headers, ...settings } = parseDestination(c, whole)
  const { addUrlEvents = false, addUrlTypes = false } = settings
  const requested = { ...settings, addUrlEvents, addUrlTypes }
  const dropped = await saveFurtherWebhook(c, found, requested, { secret, headers })
  await notifyChanged(c)
  return { id, ...dropped }
}

/** Returns false if another request came first, so that it has to be looked at again. */
async function addWebhook(c: UazapiContext, { first, others }: Webhooks, body: Body): Promise<boolean> {
  const destination = parseDestination(c, body)
  if (others.length + (first ? 1 : 0) >= limits.maxWebhooks) throw new Fault('too_many_webhooks')
  const isAdded = await (first ? insertFurther(c, destination) : insertFirst(c, destination))
  if (isAdded) await notifyChanged(c)
  return isAdded
}

async function insertFurther(c: UazapiContext, destination: RequestedDestination): Promise<boolean> {
  const { secret, headers, ...settings } = destination
  const { store } = c.var
  const webhook = await buildNewWebhook(c, settings, { secret, headers })
  const insert = insertFurtherWebhook(store, webhook, { onlyNewUrl: true })
  try {
    await store.write([insert, ...buildAuditEntry(c, { ifChanged: true })])
    return true
  } catch (error) {
    if (isFull(error)) return false
    throw error
  }
}

async function insertFirst(c: UazapiContext, destination: RequestedDestination): Promise<boolean> {
  countUse(c, 'WEBHOOK_CHANGE_RATE')
  const { secret, headers, ...settings } = destination
  const { store, instance } = c.var
  return saveFirstDestination(
    store,
    instance.id,
    { ...settings, ...(await readHeaders(c, undefined, headers)) },
    await planSecretChange(c.env, instance.id, null, secret),
    buildAuditEntry(c, { ifChanged: true }),
  )
}

/** As a route of the contract, whose body its handler checks. */
const configureFirst = (c: UazapiContext, body: Body) =>
  (webhookHandlers.configureWebhook as AnyHandler)(c, { body })

/** Of all webhooks, newest first. */
export const listFailedDeliveries: AnyHandler = async (c) => {
  requireWebhooks(c)
  const { store, instance } = c.var
  const { first, others } = await readWebhooks(c)
  const ofFirst = listFailures(store, instance.id, MAX_FAILURES)
  const groups: FailureGroup[] = [{ webhook: first, rows: await ofFirst }]
  for (const webhook of others)
    groups.push({ webhook, rows: await listFurtherFailures(store, webhook.id, MAX_FAILURES) })
  return listUazapiFailures(c.env, store, { instance, groups, limit: MAX_FAILURES })
}
