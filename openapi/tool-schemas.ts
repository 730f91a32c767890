// Shortens the schemas of a route for its tool: a model reads them all before each answer, and the route checks every value itself.

import type { Route } from '@msgnet/shared/api/route-declaration.ts'
import type { RouteTool } from '@msgnet/shared/api/route-tool.ts'
import { messageFilters, webhookEvents } from '@msgnet/shared/contract/event-names.ts'
import type * as z from 'zod'
import { type JsonSchema, toInlineSchema } from './json-schemas.ts'

type Properties = Record<string, JsonSchema>

/** Accepted, but not shown to a model: they repeat another field, have no effect, or serve programs that follow their own ids. */
const UNTOLD = [
  'addUrlEvents',
  'addUrlTypesMessages',
  'async',
  'caption',
  'forward',
  'instance',
  'inline',
  'linkPreviewDescription',
  'linkPreviewImage',
  'linkPreviewTitle',
  'mimetype',
  'operator',
  'page',
  'pageSize',
  'readmessages',
  'track_id',
  'track_source',
]
/** Filters by single fields of a chat: its search finds by name and number. */
const FIELD_FILTER = /^(wa|lead)_/
/** Fields of many tools or of long ones, in the fewest words that suffice. */
const BRIEF: Properties = {
  number: { type: 'string', description: 'Digits with country code, or a chat id' },
  mentions: { type: 'string', description: 'Numbers with commas, or all' },
  replyid: { type: 'string', description: 'messageid to reply to' },
  delay: { type: 'integer', description: 'Milliseconds of typing before' },
  file: { type: 'string', description: 'URL, data URI or base64' },
  imageButton: { type: 'string', description: 'Picture above buttons: URL or base64' },
  linkPreview: { type: 'boolean' },
  listButton: { type: 'string', description: 'Words that open a list' },
  readchat: { type: 'boolean', description: 'Marks the chat read first' },
  sendAt: { type: 'string', description: 'Date-time to send it at' },
  idempotencyKey: { type: 'string' },
  events: { type: 'string', description: `With commas: ${webhookEvents.join(', ')}; or all` },
  excludeMessages: { type: 'string', description: `With commas: ${messageFilters.join(', ')}` },
  chats: {
    type: 'array',
    items: { type: 'string' },
    description: 'Only events of these: numbers, chat ids, groups, people',
  },
}
/** Patterns and large bounds are left out: a refusal names the field and what it expects. */
const KEYWORDS = ['type', 'enum', 'required'] as const
const LARGEST_BOUND = 1000
const LONGEST_DESCRIPTION = 80

export function shortenInput(route: Route): RouteTool['inputSchema'] {
  const { body, query, names, namesWithin, idempotent } = route
  const [inBody, inQuery] = [body, query && { schema: query }].map((one) => one && toOneObject(one.schema))
  const properties = {
    ...(names && { id: { type: 'string' as const, description: `Id of the ${names}` } }),
    ...(namesWithin && { linkId: { type: 'string' as const } }),
    ...shortenProperties({ ...inBody?.properties, ...inQuery?.properties }),
    ...(idempotent && { idempotencyKey: BRIEF.idempotencyKey }),
  }
  const required = [
    ...(names ? ['id'] : []),
    ...(namesWithin ? ['linkId'] : []),
    ...(inBody?.required ?? []),
    ...(inQuery?.required ?? []),
  ]
  return { type: 'object', properties, ...(required.length > 0 && { required }) }
}

/** Of several forms of a body: the fields of all, and what all of them require. */
function toOneObject(schema: z.ZodType): { properties: Properties; required: string[] } {
  const { properties = {}, required = [], anyOf } = toInlineSchema(schema)
  if (!anyOf) return { properties: properties as Properties, required }
  const forms = anyOf as JsonSchema[]
  const merged: Properties = {}
  for (const form of forms)
    for (const [name, field] of Object.entries((form.properties ?? {}) as Properties))
      merged[name] = joinFields(merged[name], field)
  return {
    properties: merged,
    required: (forms[0]?.required ?? []).filter((name) =>
      forms.every((form) => form.required?.includes(name)),
    ),
  }
}

/** A choice of words that differs between two forms is the choice of all. */
function joinFields(one: JsonSchema | undefined, other: JsonSchema): JsonSchema {
  if (!one) return other
  if (!one.enum || !other.enum) return one
  const { description: _, ...rest } = one
  return { ...rest, enum: [...new Set([...one.enum, ...other.enum])] }
}

const shortenProperties = (properties: Properties): Properties =>
  Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !UNTOLD.includes(name) && !FIELD_FILTER.test(name))
      .map(([name, schema]) => [name, BRIEF[name] ?? shortenSchema(schema)]),
  )

function shortenSchema(schema: JsonSchema): JsonSchema {
  const { description = '', properties, items, anyOf, maximum } = schema
  const text = shortenText(description)
  const [only, ...others] = (anyOf as JsonSchema[] | undefined) ?? []
  // A list that may also be a text with commas: one of both is enough.
  if (only && others.length > 0) return { ...shortenSchema(only), ...(text && { description: text }) }
  const entries = KEYWORDS.flatMap((word) => (schema[word] === undefined ? [] : [[word, schema[word]]]))
  return {
    ...Object.fromEntries(entries),
    ...(maximum !== undefined && maximum <= LARGEST_BOUND && { maximum }),
    ...(properties && { properties: shortenProperties(properties as Properties) }),
    ...(items && { items: shortenSchema(items as JsonSchema) }),
    ...(text && { description: text }),
  }
}

/** The first sentence, unless it is long. */
function shortenText(text: string): string {
  const sentence = (text.split(/(?<=[.;]) /)[0] ?? '').replace(/[.;]$/, '').replaceAll('`', '')
  return sentence.length <= LONGEST_DESCRIPTION ? sentence : ''
}

/** What a caller usually needs of an answer with more fields than fit. */
const TELLING = ['messageid', 'chatid', 'status', 'name', 'state', 'text', 'fileURL', 'url']
const MOST_FIELDS = 6

/** Names and types only. None is required: a refusal has other fields. */
export function shortenOutput(schema: z.ZodType): RouteTool['outputSchema'] {
  const { properties, type } = toInlineSchema(schema, 'output')
  if (type !== 'object' || !properties) return undefined
  const all = Object.entries(properties as Properties)
  const described = all.length > MOST_FIELDS ? all.filter(([name]) => TELLING.includes(name)) : all
  return {
    type: 'object',
    properties: Object.fromEntries(
      described.map(([name, { type: kind }]) => [name, kind === undefined ? {} : { type: kind }]),
    ),
  }
}
