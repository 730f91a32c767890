// Handlers for the webhook of an instance: its own destination, off, or the server's global one.

import type { StoredFormat, WebhookFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import type { Context } from 'hono'
import { notifySubscriptionChanged } from '../delivery/notify-couriers.ts'
import { parseWebhookBody, type RequestedDestination, readWebhookId } from '../delivery/webhook-body.ts'
import { changesDestination, changesMode } from '../delivery/webhook-change.ts'
import { type HeaderColumns, hasSameHeaders, sealHeaders } from '../delivery/webhook-headers.ts'
import {
  type Dropped,
  findDropped,
  planSecretChange,
  selectPredecessor,
} from '../delivery/webhook-secrets.ts'
import { buildAuditEntry } from '../http/record-audit.ts'
import type { Handlers } from '../http/serve-route.ts'
import { countUse } from '../http/token-rates.ts'
import type { WebhookRow } from '../objects/due-events.ts'
import { hasAskedForPast, toWebhookRecord } from '../records/webhook-record.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { areWebhooksEnabled } from '../settings/env.ts'
import { inheritServerWebhook, selectOneInstance } from '../store/webhook-inheritance.ts'
import {
  findFirstWebhook,
  hasOwnChoice,
  type ListedWebhook,
  pickUrlOptions,
  plainUrl,
  saveFirstWebhook,
  turnOffFirst,
} from '../store/webhook-queries.ts'

export const webhookHandlers = {
  async configureWebhook(c, { body }) {
    const requested = parseWebhookBody(body, c.env.WEBHOOK_ALLOWLIST ?? '', c.env.dialect.allowsUrlOptions)
    requireWebhooks(c)
    const { store, instance } = c.var
    const current = await findFirstWebhook(store, instance.id)
    const meant = readWebhookId(body)
    if (meant !== undefined && (current?.mode === 'off' || current?.id !== meant.toLowerCase()))
      throw new Fault('webhook_not_found')
    let dropped: Dropped = {}
    switch (requested.action) {
      case 'delete':
        if (changesMode(current, 'delete')) countUse(c, 'WEBHOOK_CHANGE_RATE')
        await turnOffFirst(store, instance.id, buildAuditEntry(c, { ifChanged: true }))
        break
      case 'inherit':
        if (changesMode(current, 'inherit')) countUse(c, 'WEBHOOK_CHANGE_RATE')
        await inheritServerWebhook(
          store,
          selectOneInstance(instance.id),
          buildAuditEntry(c, { onlyIf: hasOwnChoice(instance.id) }),
        )
        break
      case 'save':
        dropped = await saveOwn(c, current, requested.destination, body)
    }
    // Before the first host there is nothing to deliver, and the courier must be created near that host.
    if (instance.epoch > 0) await notifySubscriptionChanged(c.env, instance.id)
    if (requested.action === 'delete') return { success: true, deleted: true }
    return {
      ...toWebhookRecord(
        await findFirstWebhook(store, instance.id),
        hasAskedForPast(instance),
        c.env.dialects,
      ),
      ...dropped,
    }
  },

  async getWebhook(c) {
    requireWebhooks(c)
    const { store, instance } = c.var
    const first = await findFirstWebhook(store, instance.id)
    return toWebhookRecord(first, hasAskedForPast(instance), c.env.dialects)
  },
} satisfies Partial<Handlers>

async function saveOwn(
  c: Context<EdgeEnv>,
  current: ListedWebhook | undefined,
  { secret, headers, format: named, ...chosen }: RequestedDestination,
  body: object,
): Promise<Dropped> {
  const { store, instance } = c.var
  const own = current?.mode === 'own' ? current : undefined
  const previous = selectPredecessor(own, chosen.url)
  const format = chooseFormat(c, named, own?.format)
  const formatOptions = readOptions(c, body, { format, present: own })
  const destination = {
    ...readCurrentOptions(c, own),
    ...chosen,
    format,
    ...(formatOptions !== undefined && { formatOptions }),
    ...(await readHeaders(c, previous, headers)),
  }
  const change = await planSecretChange(c.env, instance.id, previous?.secret ?? null, secret)
  if (changesDestination(current, destination, change)) countUse(c, 'WEBHOOK_CHANGE_RATE')
  // What is the same now is gone if a save at another origin comes between.
  const sentHeaders = await sealHeaders(c.env, instance.id, headers ?? {})
  const saved = { ...destination, sentHeaders }
  await saveFirstWebhook(store, instance.id, saved, change, buildAuditEntry(c, { ifChanged: true }))
  return findDropped(own, chosen.url, { headers, secret })
}

/**
 * The format of a webhook that is saved, as it is stored: the one that the body names, or that of the dialect by which it is saved, or
 * else the present one.
 */
export function chooseFormat(
  c: Context<EdgeEnv>,
  requested: WebhookFormat | undefined,
  present: StoredFormat | undefined,
): StoredFormat {
  const { dialect, dialects } = c.env
  const named = requested ?? (dialect.ownFormat || undefined)
  if (named === undefined) return requireMayReceive(c, present ?? '')
  if (!dialects.findFormat(named))
    throw new Fault(
      'invalid_body',
      `format must be one of ${['contract', ...dialects.names].join(', ')} here.`,
    )
  return requireMayReceive(c, dialects.toStored(named))
}

/** Returns the format. A scoped token must not lead to the own one, by a receiver whose events show that. */
export function requireMayReceive(
  { env, var: { actor } }: Context<EdgeEnv>,
  format: StoredFormat,
): StoredFormat {
  if (actor.grant && env.dialects.findFormat(format)?.showsToken)
    throw new Fault(
      'token_scope',
      "Events in this format show the instance's own token: saving it needs that.",
    )
  return format
}

/** The options of the format that a save names, or none with another format; undefined if they stay. */
export function readOptions(
  { env: { dialect } }: Context<EdgeEnv>,
  body: object,
  { format, present }: { format: StoredFormat | undefined; present: WebhookRow | undefined },
): Record<string, unknown> | null | undefined {
  const isOther = format !== undefined && present !== undefined && format !== present.format
  return dialect.readFormatOptions(body) ?? (isOther ? null : undefined)
}

/** The columns of other headers than those of the present webhook of the same origin; empty if they stay. */
export async function readHeaders(
  c: Context<EdgeEnv>,
  present: WebhookRow | undefined,
  headers: Record<string, string> | undefined,
): Promise<Partial<HeaderColumns>> {
  if (headers === undefined) return {}
  const { env } = c
  const { instance } = c.var
  const isSame = await hasSameHeaders(env, instance.id, present?.headers ?? null, headers)
  return isSame ? {} : sealHeaders(env, instance.id, headers)
}

/** The form of the contract has no options for the path, so a save in it, as by the console, changes none. */
export const readCurrentOptions = (c: Context<EdgeEnv>, current: typeof plainUrl | undefined) =>
  current && c.env.dialect.requestsContract(c.req.raw.headers) ? pickUrlOptions(current) : plainUrl

export function requireWebhooks(c: Context<EdgeEnv>): void {
  if (!areWebhooksEnabled(c.env)) throw new Fault('webhooks_disabled')
}
