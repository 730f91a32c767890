// The webhook of an instance, the first one of the contract, in this form; and settings, which are choices of the webhook as far as the gateway has them.

import type { Webhook } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import type { Context } from 'hono'
import { callContract } from '../http/call-contract.ts'
import type { Rows } from '../http/dialect-rows.ts'
import { type Fields, isObject, readFirst, readObject, readText } from '../http/read-fields.ts'
import type { EdgeEnv } from '../request/request-context.ts'
import { areMediaStored } from '../settings/env.ts'
import { findFirstWebhook } from '../store/webhook-queries.ts'
import { nameInstance } from './evolution-callers.ts'
import { createInvalid } from './evolution-errors.ts'
import { listSources, readChoices } from './evolution-event-names.ts'
import type { EvolutionOptions } from './evolution-events.ts'

type C = Context<EdgeEnv>

/** A webhook as a program asks for it; without a URL it is off. */
export interface WebhookChoice {
  url: string
  options: EvolutionOptions
  headers: Fields | undefined
}

/** What nothing here does. */
const absent = ['rejectCall', 'alwaysOnline', 'readMessages', 'readStatus'] as const

/** Those that would change what happens, and cannot, are refused. */
export function readSettings(body: Fields) {
  const wrong = absent.find((name) => String(body[name] || false) !== 'false')
  if (wrong) throw createInvalid(`instance.${wrong} must be false: it is not supported`)
  return { groupsIgnore: body.groupsIgnore === true, syncFullHistory: body.syncFullHistory === true }
}
export type Settings = ReturnType<typeof readSettings>

export const describeSettings = ({ groupsIgnore, syncFullHistory }: Settings) => ({
  rejectCall: false,
  msgCall: '',
  groupsIgnore,
  alwaysOnline: false,
  readMessages: false,
  readStatus: false,
  syncFullHistory,
})

/** In all spellings that programs have for it. */
export function readWebhook({ env }: C, body: Fields): WebhookChoice {
  const enabled = body.enabled !== false
  const url = readText(body.url)
  if (enabled && url === '') throw createInvalid('instance.webhook requires property "url"')
  const base64 = readFirst(body, 'base64', 'webhookBase64', 'webhook_base64') === true
  if (base64 && !areMediaStored(env))
    throw createInvalid('instance.webhook.base64 must be false: this server stores no files')
  const events = readChoices(body.events)
  const byEvents = readFirst(body, 'byEvents', 'webhookByEvents', 'webhook_by_events') === true
  const headers = isObject(body.headers) ? body.headers : undefined
  const options = { ...(events && { events }), ...(byEvents && { byEvents }), ...(base64 && { base64 }) }
  return { url: enabled ? url : '', headers, options }
}

/** The body of the contract's route. */
export const toWebhookBody = ({ url, options, headers }: WebhookChoice, settings: Settings) => ({
  url,
  events: listSources(options.events),
  formatOptions: { ...options, ...(settings.syncFullHistory && { syncFullHistory: true }) },
  ...(headers && { headers }),
  excludeMessages: settings.groupsIgnore ? ['isGroupYes'] : [],
})

interface Saved extends WebhookChoice {
  id: string
  enabled: boolean
  settings: Settings
}

const saveWebhook = (c: C, choice: WebhookChoice, settings: Settings) =>
  callContract<Webhook>(c, 'configureWebhook', { body: toWebhookBody(choice, settings) })

/** Undefined without one of the instance's own. */
async function findSaved(c: C): Promise<Saved | undefined> {
  const { registered, inheritedGlobal, id, url, enabled } = await callContract<Webhook>(c, 'getWebhook')
  if (!registered || inheritedGlobal) return undefined
  const row = await findFirstWebhook(c.var.store, c.var.instance.id)
  const { syncFullHistory, ...options } = readObject(row?.formatOptions)
  const groupsIgnore = row?.excludeMessages?.includes('isGroupYes') === true
  const settings = { groupsIgnore, syncFullHistory: syncFullHistory === true }
  return { id: id ?? '', url: url ?? '', enabled: enabled === true, options, headers: undefined, settings }
}

/** What the instance has chosen; nothing without a webhook. */
export const findSettings = async (c: C): Promise<Settings> =>
  (await findSaved(c))?.settings ?? readSettings({})

async function setWebhook(c: C, fields: Fields) {
  const choice = readWebhook(c, fields)
  if (choice.url === '') {
    // One that is off gets nothing, and nothing is stored for it.
    await callContract(c, 'configureWebhook', { body: { action: 'delete' } })
    return describeWebhook({ ...choice, url: readText(fields.url) })
  }
  const { id, url } = await saveWebhook(c, choice, await findSettings(c))
  return describeWebhook({ ...choice, id: id ?? '', url: url ?? '', enabled: true })
}

async function findWebhook(c: C) {
  const saved = await findSaved(c)
  return saved ? describeWebhook(saved) : null
}

const describeWebhook = ({ id, url, enabled = false, options }: WebhookChoice & Partial<Saved>) => ({
  id: id ?? null,
  url,
  enabled,
  events: options.events ?? [],
  // Their values are sealed.
  headers: null,
  webhookByEvents: options.byEvents ?? false,
  webhookBase64: options.base64 ?? false,
})

/** Without a webhook there is no place for what is not as usual. */
async function setSettings(c: C, fields: Fields) {
  const settings = readSettings(fields)
  const saved = await findSaved(c)
  const kept = Object.entries(settings).find(([, value]) => value)
  if (!saved && kept) throw createInvalid(`instance.${kept[0]} is a choice of the webhook, and there is none`)
  if (saved) await saveWebhook(c, saved, settings)
  const named = { instanceName: nameInstance(c.var.instance), settings: describeSettings(settings) }
  return { settings: named, ...describeSettings(settings) }
}

export const webhookRows: Rows = {
  'POST /webhook/set': [setWebhook],
  'GET /webhook/find': [findWebhook],
  'POST /settings/set': [setSettings],
  'GET /settings/find': [async (c) => describeSettings(await findSettings(c))],
}
