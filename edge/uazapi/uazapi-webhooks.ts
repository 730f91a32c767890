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
import { chooseFormat, readHeaders, requireWebhooks, webhookHandlers } from '../routes/webhook-routes.ts'
import {
  buildNewWebhook,
  notifyChanged,
  removeWebhook as removeNamed,
  saveWebhook as saveNamed,
} from '../routes/webhooks-by-id-routes.ts'
import { listFailures, listFirstFailures } from '../store/events/outcome-queries.ts'
import {
  addFirstWebhook,
  insertWebhook,
  isFull,
  type ListedWebhook,
  listWebhooks,
} from '../store/webhook-queries.ts'
import { type FailureGroup, listUazapiFailures, toUazapiWebhooks } from './uazapi-records.ts'

type UazapiContext = Context<EdgeEnv>
type Body = Record<string, unknown>

const readWebhooks = (c: UazapiContext): Promise<ListedWebhook[]> =>
  listWebhooks(c.var.store, c.var.instance.id)

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
    const found = findMeant(c, all, body)
    if (found && body.action !== 'delete') return listAll(c, await saveWebhook(c, found, body))
    const isDone = await (body.action === 'delete' ? removeWebhook(c, found) : addWebhook(c, all, body))
    if (isDone) return listAll(c)
  }
  throw new Fault('too_many_webhooks')
}

const isFirst = ({ position }: ListedWebhook): boolean => position === 0

/** The webhook that the body means; undefined if that is a new one. */
function findMeant(c: UazapiContext, all: ListedWebhook[], body: Body): ListedWebhook | undefined {
  const { id } = body
  const action = body.action || undefined
  const isNamed = typeof id === 'string' && id !== '' && action !== 'add'
  const named = isNamed ? all.find((one) => one.id === id.toLowerCase()) : undefined
  if (named) return named
  if (isNamed && action !== undefined) throw new Fault('webhook_not_found')
  // The webhook of the server belongs to no program of the instance.
  const own = all.filter(({ mode }) => mode === 'own')
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

async function removeWebhook(c: UazapiContext, found: ListedWebhook | undefined): Promise<boolean> {
  if (found) await removeNamed(c, found)
  else skipAudit(c)
  return true
}

/** The events stay if the body names none; everything else that it leaves out is as in a new one. */
async function saveWebhook(c: UazapiContext, found: ListedWebhook, body: Body): Promise<Saved> {
  const whole: Body = { ...body }
  if (isAbsent(body.url)) whole.url = found.url
  if (isAbsent(body.events)) whole.events = [...found.events, ...found.ignoredEvents]
  const { id } = found
  if (isFirst(found)) {
    const { dropped } = (await configureFirst(c, { ...whole, action: 'update', id })) as Dropped
    return { id, ...(dropped && { dropped }) }
  }
  const { secret, headers, format, ...settings } = parseDestination(c, whole)
  const { addUrlEvents = false, addUrlTypes = false } = settings
  const requested = { ...settings, addUrlEvents, addUrlTypes, format: chooseFormat(c, format, found.format) }
  const dropped = await saveNamed(c, found, requested, { secret, headers })
  await notifyChanged(c)
  return { id, ...dropped }
}

/** Returns false if another request came first, so that it has to be looked at again. */
async function addWebhook(c: UazapiContext, all: ListedWebhook[], body: Body): Promise<boolean> {
  const destination = parseDestination(c, body)
  if (all.length >= limits.maxWebhooks) throw new Fault('too_many_webhooks')
  const isAdded = await (all.some(isFirst) ? insertOther(c, destination) : insertFirst(c, destination))
  if (isAdded) await notifyChanged(c)
  return isAdded
}

async function insertOther(c: UazapiContext, destination: RequestedDestination): Promise<boolean> {
  const { secret, headers, format, ...settings } = destination
  const { store } = c.var
  const added = { ...settings, format: chooseFormat(c, format, undefined) }
  const webhook = await buildNewWebhook(c, added, { secret, headers })
  const insert = insertWebhook(store, webhook, { unique: 'url' })
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
  const { secret, headers, format, ...settings } = destination
  const { store, instance } = c.var
  return addFirstWebhook(
    store,
    instance.id,
    {
      ...settings,
      format: chooseFormat(c, format, undefined),
      ...(await readHeaders(c, undefined, headers)),
    },
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
  const all = await readWebhooks(c)
  // What failed at it is listed also while it is off.
  const ofFirst = await listFirstFailures(store, instance.id, MAX_FAILURES)
  const groups: FailureGroup[] = [{ webhook: all.find(isFirst), rows: ofFirst }]
  for (const webhook of all)
    if (!isFirst(webhook)) groups.push({ webhook, rows: await listFailures(store, webhook, MAX_FAILURES) })
  return listUazapiFailures(c.env, store, { instance, groups, limit: MAX_FAILURES })
}
