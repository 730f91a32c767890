// Reads the body that configures a webhook, field by field because each field has its own error code.

import type * as z from 'zod'
import { isEmpty, isText, mayBeAbsent } from '../../shared/contract/empty-fields.ts'
import {
  deliveredEvents,
  type EventName,
  type IgnoredEvent,
  ignoredEvents,
  type MessageFilter,
} from '../../shared/contract/events.ts'
import { plainErrors, sentenceOf } from '../../shared/contract/refusal-text.ts'
import {
  eventNames,
  ServerWebhookAction,
  WebhookAction,
  WebhookSave,
  YesOrNo,
} from '../../shared/contract/webhook.ts'
import { judgeDestination } from '../../shared/destination.ts'
import { Fault, type FaultName } from '../../shared/faults.ts'

const fields = WebhookSave.shape

export interface WantedDestination {
  url: string
  events: EventName[]
  ignoredEvents: IgnoredEvent[]
  excludeMessages: MessageFilter[] | null
  enabled: boolean
  /** Only where they are supported. */
  addUrlEvents?: boolean
  addUrlTypes?: boolean
  /** Undefined keeps the present secret, the empty string removes it. */
  secret: string | undefined
}

export type Wanted = { action: 'delete' | 'inherit' } | { action: 'save'; destination: WantedDestination }

/** Any object; its fields are checked here, in the order of the contract. */
type Body = Record<string, unknown>

/** Throws the Fault of the first wrong field. `additions`: whether the body may ask for `addUrlEvents` and the like. */
export const readSubscription = (body: Body, allowlist: string, additions = false): Wanted =>
  readWebhook(body, WebhookAction, allowlist, additions)

/** The same for the global webhook, which has nothing to inherit from. */
export const readServerWebhook = (body: Body, allowlist: string, additions = false): Wanted =>
  readWebhook(body, ServerWebhookAction, allowlist, additions)

/** The id of the webhook that an update or a deletion names, if any. */
export function meantWebhook(body: Body): string | undefined {
  const id = read('id', fields.id, body, 'invalid_id') || undefined
  return ['update', 'delete'].includes(String(body.action)) ? id : undefined
}

function readWebhook(
  body: Body,
  actions: typeof WebhookAction | typeof ServerWebhookAction,
  allowlist: string,
  additions: boolean,
): Wanted {
  const action = read('action', actions, body, 'invalid_action')
  const addition = additions ? YesOrNo : fields.addUrlEvents
  const isWanted = (name: 'addUrlEvents' | 'addUrlTypesMessages') =>
    read(name, addition, body, 'unsupported_option') === true
  const added = { addUrlEvents: isWanted('addUrlEvents'), addUrlTypes: isWanted('addUrlTypesMessages') }
  if (action === 'delete' || action === 'inherit') {
    refuseForbidden(action, body)
    return { action }
  }
  const given = read('url', fields.url, body, 'invalid_url')
  const judged = judgeDestination(given, allowlist)
  if (!judged.allowed) throw new Fault('invalid_url', `url ${judged.why}.`)
  const filters = read('excludeMessages', fields.excludeMessages, body, 'invalid_exclude')
  return {
    action: 'save',
    destination: {
      url: judged.url,
      ...eventsOf(read('events', fields.events, body, 'invalid_events')),
      excludeMessages: filters?.length ? filters : null,
      ...(additions && added),
      enabled: read('enabled', fields.enabled, body, 'invalid_body'),
      secret: read('secret', fields.secret, body, 'invalid_secret'),
    },
  }
}

function read<Schema extends z.ZodType>(
  field: string,
  schema: Schema,
  body: Body,
  fault: FaultName,
): z.output<Schema> {
  // Only for the secret has the empty text a meaning: it removes the present one.
  const empty = mayBeAbsent(schema) && isEmpty(body[field], field !== 'secret' && isText(schema))
  const { data, error } = schema.safeParse(empty ? undefined : body[field], plainErrors)
  if (error) throw new Fault(fault, sentenceOf(error, [field]))
  return data
}

/** Fields that must be absent there, with their faults. Only `enabled: true` is allowed, because it changes nothing. */
const forbidden: [keyof typeof fields, FaultName][] = [
  ['url', 'invalid_url'],
  ['events', 'invalid_events'],
  ['excludeMessages', 'invalid_exclude'],
  ['enabled', 'invalid_body'],
  ['secret', 'invalid_secret'],
]

function refuseForbidden(action: string, body: Body): void {
  for (const [field, fault] of forbidden) {
    const given = body[field]
    if (given === undefined || isEmpty(given, true) || (field === 'enabled' && given === true)) continue
    throw new Fault(fault, `${field} must not be given with the action "${action}".`)
  }
}

function eventsOf(names: string[]): Pick<WantedDestination, 'events' | 'ignoredEvents'> {
  const unknown = names.find((name) => name !== 'all' && !eventNames.includes(name))
  if (unknown !== undefined)
    throw new Fault(
      'invalid_event',
      `events must not name "${unknown.slice(0, 64)}": there is no such event.`,
    )
  const every = names.includes('all')
  return {
    events: deliveredEvents.filter((name) => every || names.includes(name)),
    ignoredEvents: ignoredEvents.filter((name) => names.includes(name)),
  }
}
