// Reads the body that configures a webhook, field by field because each field has its own error code.

import { isEmptyField, isOptional, isText } from '@msgnet/shared/contract/empty-fields.ts'
import {
  deliveredEvents,
  type IgnoredEvent,
  ignoredEvents,
  type MessageFilter,
  namedOnlyEvents,
  operatorEvents,
  type WebhookEvent,
} from '@msgnet/shared/contract/event-names.ts'
import { describeFirstIssue, issueMessages } from '@msgnet/shared/contract/validation-message.ts'
import type { WebhookFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import {
  eventNames,
  ServerWebhookAction,
  WebhookAction,
  WebhookSave,
  YesOrNo,
} from '@msgnet/shared/contract/webhook-requests.ts'
import { checkDestination } from '@msgnet/shared/destination.ts'
import { Fault, type FaultName } from '@msgnet/shared/fault-table.ts'
import type * as z from 'zod'

const fields = WebhookSave.shape

export interface RequestedDestination {
  url: string
  events: WebhookEvent[]
  ignoredEvents: IgnoredEvent[]
  excludeMessages: MessageFilter[] | null
  enabled: boolean
  /** Only where they are supported, and given. */
  addUrlEvents?: boolean
  addUrlTypes?: boolean
  /** Undefined leaves the current secret, the empty string removes it. */
  secret: string | undefined
  /** Undefined leaves the current ones. */
  headers: Record<string, string> | undefined
  /** Absent leaves the current ones, null is for all of them. */
  chats?: string[] | null
  /** Absent if the body names none. */
  format?: WebhookFormat
}

export type WebhookChange =
  | { action: 'delete' | 'inherit' }
  | { action: 'save'; destination: RequestedDestination }

export type ServerWebhookChange =
  | Exclude<WebhookChange, { action: 'save' }>
  | { action: 'save'; destination: RequestedDestination & { getsWebhookEvents: boolean } }

/** Any object; its fields are checked here, in the order of the contract. */
type Body = Record<string, unknown>

/** Throws the Fault of the first wrong field. `allowsUrlOptions`: whether the body may have `addUrlEvents` and `addUrlTypesMessages`. */
export const parseWebhookBody = (body: Body, allowlist: string, allowsUrlOptions = false): WebhookChange =>
  parseBody(body, WebhookAction, allowlist, allowsUrlOptions)

/** The same for the global webhook, which has nothing to inherit from, and may name the events of the operator. */
export function parseServerWebhookBody(
  body: Body,
  allowlist: string,
  allowsUrlOptions = false,
): ServerWebhookChange {
  const change = parseBody(body, ServerWebhookAction, allowlist, allowsUrlOptions)
  if (change.action !== 'save') return change
  const names = fields.events.parse(body.events)
  const getsWebhookEvents = names.some((name) => name === 'all' || isForOperator(name))
  return { ...change, destination: { ...change.destination, getsWebhookEvents } }
}

const isForOperator = (name: string): boolean => (operatorEvents as readonly string[]).includes(name)

/** The id of the webhook that an update or a deletion names, if any. */
export function readWebhookId(body: Body): string | undefined {
  const id = parseField('id', fields.id, body, 'invalid_id') || undefined
  return ['update', 'delete'].includes(String(body.action)) ? id : undefined
}

function parseBody(
  body: Body,
  actions: typeof WebhookAction | typeof ServerWebhookAction,
  allowlist: string,
  allowsUrlOptions: boolean,
): WebhookChange {
  const action = parseField('action', actions, body, 'invalid_action')
  const urlOption = allowsUrlOptions ? YesOrNo : fields.addUrlEvents
  const readUrlOption = (name: 'addUrlEvents' | 'addUrlTypesMessages') => {
    const value = parseField(name, urlOption, body, 'unsupported_option')
    return value === undefined ? undefined : value === true
  }
  const addUrlEvents = readUrlOption('addUrlEvents')
  const addUrlTypes = readUrlOption('addUrlTypesMessages')
  const isOfServer = actions === ServerWebhookAction
  if (isOfServer)
    for (const field of ['chats', 'headers'] as const) refuseField(action, body, field, 'invalid_body')
  if (action === 'delete' || action === 'inherit') {
    refuseForbiddenFields(action, body)
    return { action }
  }
  const url = parseField('url', fields.url, body, 'invalid_url')
  const checked = checkDestination(url, allowlist)
  if (!checked.allowed) throw new Fault('invalid_url', `url ${checked.why}.`)
  const filters = parseField('excludeMessages', fields.excludeMessages, body, 'invalid_exclude')
  const chats = parseField('chats', fields.chats, body, 'invalid_body')
  const format = parseField('format', fields.format, body, 'invalid_body')
  const names = parseField('events', fields.events, body, 'invalid_events')
  return {
    action: 'save',
    destination: {
      url: checked.url,
      ...parseEventNames(isOfServer ? names.filter((name) => !isForOperator(name)) : names),
      excludeMessages: filters?.length ? filters : null,
      ...(allowsUrlOptions && addUrlEvents !== undefined && { addUrlEvents }),
      ...(allowsUrlOptions && addUrlTypes !== undefined && { addUrlTypes }),
      enabled: parseField('enabled', fields.enabled, body, 'invalid_body'),
      secret: parseField('secret', fields.secret, body, 'invalid_secret'),
      headers: parseField('headers', fields.headers, body, 'invalid_body'),
      ...(format && { format }),
      ...(chats && { chats: chats.length > 0 ? chats : null }),
    },
  }
}

function parseField<Schema extends z.ZodType>(
  field: string,
  schema: Schema,
  body: Body,
  fault: FaultName,
): z.output<Schema> {
  // Only the empty secret has a meaning: it removes the current one.
  const empty = isOptional(schema) && isEmptyField(body[field], field !== 'secret' && isText(schema))
  const { data, error } = schema.safeParse(empty ? undefined : body[field], issueMessages)
  if (error) throw new Fault(fault, describeFirstIssue(error, [field]))
  return data
}

/** Fields that must be absent there, with their faults. Only `enabled: true` is allowed, because it changes nothing. */
const forbiddenFields: [keyof typeof fields, FaultName][] = [
  ['url', 'invalid_url'],
  ['events', 'invalid_events'],
  ['excludeMessages', 'invalid_exclude'],
  ['enabled', 'invalid_body'],
  ['secret', 'invalid_secret'],
  ['headers', 'invalid_body'],
  ['chats', 'invalid_body'],
  ['format', 'invalid_body'],
]

function refuseForbiddenFields(action: string, body: Body): void {
  for (const [field, fault] of forbiddenFields) refuseField(action, body, field, fault)
}

function refuseField(action: string, body: Body, field: keyof typeof fields, fault: FaultName): void {
  const value = body[field]
  if (value === undefined || isEmptyField(value, true) || (field === 'enabled' && value === true)) return
  throw new Fault(fault, `${field} must not be given with the action "${action}" here.`)
}

/** Throws the Fault of the first unknown name. */
export function parseEventNames(names: string[]): Pick<RequestedDestination, 'events' | 'ignoredEvents'> {
  const unknown = names.find((name) => name !== 'all' && !eventNames.includes(name))
  if (unknown !== undefined)
    throw new Fault(
      'invalid_event',
      `events must not name "${unknown.slice(0, 64)}": there is no such event.`,
    )
  const isAll = names.includes('all')
  return {
    events: [
      ...deliveredEvents.filter((name) => isAll || names.includes(name)),
      ...namedOnlyEvents.filter((name) => names.includes(name)),
    ],
    ignoredEvents: ignoredEvents.filter((name) => names.includes(name)),
  }
}
