// The webhook of an instance: the first one of the contract, in this form.

import type { Webhook } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { DialectInput } from '../http/dialect-app.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { findFirstWebhook } from '../store/webhook-queries.ts'
import { type Body, isObject, readFirst, readObject, readText } from './evolution-bodies.ts'
import { createInvalid } from './evolution-errors.ts'
import { listSources, readChoices } from './evolution-event-names.ts'
import type { EvolutionOptions } from './evolution-events.ts'

export interface WebhookChoice {
  url: string
  enabled: boolean
  options: EvolutionOptions
  headers: Body | undefined
  /** Without messages of groups. */
  excludesGroups?: boolean
}

/** In all spellings that programs have for it. */
export function readWebhook(body: Body): WebhookChoice {
  const url = readText(body.url)
  const enabled = body.enabled !== false
  if (enabled && url === '') throw createInvalid('instance.webhook requires property "url"')
  if (readFirst(body, 'base64', 'webhookBase64', 'webhook_base64') === true)
    throw createInvalid(
      'instance.webhook.base64 must be false: files come by message.mediaUrl and by getBase64FromMediaMessage',
    )
  const events = readChoices(body.events)
  const byEvents = readFirst(body, 'byEvents', 'webhookByEvents', 'webhook_by_events') === true
  const headers = isObject(body.headers) ? body.headers : undefined
  return { url, enabled, headers, options: { ...(events && { events }), ...(byEvents && { byEvents }) } }
}

/** One that is off gets nothing, and nothing is stored for it. */
export async function saveWebhook(c: Context<EdgeEnv>, choice: WebhookChoice): Promise<Webhook | undefined> {
  const { url, enabled, options, headers, excludesGroups } = choice
  if (!enabled) {
    await callContract(c, 'configureWebhook', { body: { action: 'delete' } })
    return undefined
  }
  const body = {
    url,
    events: listSources(options.events),
    formatOptions: options,
    ...(headers && { headers }),
    ...(excludesGroups !== undefined && { excludeMessages: excludesGroups ? ['isGroupYes'] : [] }),
  }
  return callContract<Webhook>(c, 'configureWebhook', { body })
}

export async function setWebhook(c: Context<EdgeEnv>, { body }: DialectInput) {
  const choice = readWebhook(isObject(body.webhook) ? body.webhook : body)
  const saved = await saveWebhook(c, choice)
  return describeWebhook(saved, choice)
}

export async function findWebhook(c: Context<EdgeEnv>) {
  const saved = await callContract<Webhook>(c, 'getWebhook')
  if (!saved.registered || saved.inheritedGlobal) return null
  const row = await findFirstWebhook(c.var.store, c.var.instance.id)
  return describeWebhook(saved, { url: '', enabled: true, options: readObject(row?.formatOptions) })
}

function describeWebhook(
  saved: Webhook | undefined,
  { url, enabled, options }: Pick<WebhookChoice, 'url' | 'enabled' | 'options'>,
) {
  const shown = saved?.registered ? saved : undefined
  return {
    id: shown?.id ?? null,
    url: shown?.url ?? url,
    enabled: shown?.enabled ?? enabled,
    events: options.events ?? [],
    // Their values are sealed.
    headers: null,
    webhookByEvents: options.byEvents ?? false,
    webhookBase64: false,
  }
}
