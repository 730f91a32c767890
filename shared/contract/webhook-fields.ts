// Fields of a webhook: the headers of its requests, and the chats that it is for (open points, "Destinations").

import * as z from 'zod'
import { parseNumber, patterns } from '../jid.ts'
import { limits } from './limits.ts'

/** They belong to the connection, to the signature, or to what the gateway itself sends. */
const RESERVED =
  /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|webhook-.*|traceparent|tracestate|expect)$/i
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,128}$/
const VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/

const Chat = z
  .string()
  .transform((text, context) => {
    const chat = text === 'groups' || text === 'people' ? text : parseNumber(text)
    if (chat !== undefined) return chat
    context.issues.push({
      code: 'custom',
      input: text,
      message: 'must be the id of a chat, groups or people',
    })
    return z.NEVER
  })
  .meta({ pattern: `^(groups|people|${patterns.number.slice(1, -1)})$` })

export const Chats = z
  .array(Chat)
  .max(limits.maxWebhookChats)
  .transform((chats) => [...new Set(chats)])
  .describe(
    'Only events of these chats, by phone number or id; `groups` and `people` stand for all of them. Events that are about no chat are delivered in any case, and a part of a history only if all its chats are chosen. Empty: all chats; so it is for a new webhook if the field is absent, and the choice of another stays.',
  )

export const ExtraHeaders = z
  .record(z.string(), z.string().max(limits.maxWebhookHeaderLength))
  .superRefine((headers, context) => {
    const names = Object.keys(headers)
    const report = (message: string) => context.addIssue({ code: 'custom', message })
    if (names.length > limits.maxWebhookHeaders) report(`must have at most ${limits.maxWebhookHeaders} names`)
    if (new Set(names.map((name) => name.toLowerCase())).size < names.length) report('must not repeat a name')
    for (const [name, value] of Object.entries(headers)) {
      if (!NAME.test(name)) report(`must have names of HTTP headers: "${name.slice(0, 64)}" is none`)
      else if (RESERVED.test(name)) report(`must not set ${name}`)
      else if (!VALUE.test(value)) report(`must have values of visible ASCII: that of ${name} is not`)
    }
  })
  .meta({
    maxProperties: limits.maxWebhookHeaders,
    propertyNames: { pattern: "^[!#$%&'*+\\-.^_`|~0-9A-Za-z]{1,128}$", not: { const: '__proto__' } },
    additionalProperties: {
      type: 'string',
      maxLength: limits.maxWebhookHeaderLength,
      pattern: '^[!-~]([ -~]*[!-~])?$',
    },
  })
  .describe(
    'Up to 10 headers that every request to the receiver has, such as `authorization`. Their values are sealed and never shown. Not those of the connection or of the signature, `host`, or `content-…`. If the field is absent, the present ones stay while scheme, host and port of `url` do, and are dropped with another of these. An empty object removes them.',
  )
