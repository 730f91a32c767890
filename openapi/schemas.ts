// Converts the schemas that validate to JSON Schema: named ones as references, all others inline.

import * as z from 'zod'
import { AuditEntry } from '../shared/contract/answers/audit.ts'
import { Capabilities } from '../shared/contract/answers/diagnostics.ts'
import { ErrorObject } from '../shared/contract/answers/error.ts'
import { DeliveryFailure, EventRecord, Redriven } from '../shared/contract/answers/event.ts'
import { Host } from '../shared/contract/answers/host.ts'
import {
  Connection,
  DisconnectResult,
  InitResult,
  Instance,
  RestartResult,
} from '../shared/contract/answers/instance.ts'
import { MessageRecord } from '../shared/contract/answers/message.ts'
import { AdminToken } from '../shared/contract/answers/token.ts'
import {
  DeliveryStatus,
  ServerWebhook,
  Webhook,
  WebhookDeleted,
  WebhookHealth,
  WebhookTested,
} from '../shared/contract/answers/webhook.ts'
import {
  ConnectionEnvelope,
  MessagesEnvelope,
  MessagesUpdateEnvelope,
  TestEnvelope,
} from '../shared/contract/envelopes.ts'
import { ReplayRequest } from '../shared/contract/events-request.ts'
import { HostRequest } from '../shared/contract/host.ts'
import { ConnectRequest, InitRequest, Pairing } from '../shared/contract/instance.ts'
import { ChatRead, SendText } from '../shared/contract/message.ts'
import { PasskeyRequest } from '../shared/contract/passkey.ts'
import { ServerWebhookEnd, WebhookEnd, WebhookSave } from '../shared/contract/webhook.ts'

/** A JSON Schema of the 2020-12 dialect. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

/** Schemas of requests: fields with a default are optional. */
const requests = {
  InitRequest,
  ConnectRequest,
  PasskeyRequest,
  SendText,
  ChatRead,
  WebhookSave,
  WebhookEnd,
  ServerWebhookEnd,
  RedriveRequest: ReplayRequest,
  HostRequest,
}

const records = {
  ...{ Instance, Pairing, Connection, InitResult, RestartResult, DisconnectResult, MessageRecord },
  ...{ Webhook, ServerWebhook, WebhookDeleted, WebhookHealth, DeliveryStatus, EventRecord, DeliveryFailure },
  ...{ Redriven, WebhookTested, TestEnvelope },
  ...{ ConnectionEnvelope, MessagesEnvelope, MessagesUpdateEnvelope, Host, AdminToken, Capabilities },
  ...{ AuditEntry },
  Error: ErrorObject,
}

const names = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries({ ...requests, ...records })) names.add(schema, { id })

/** The JSON Schema, or a reference if it has a name. */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $defs: _, ...inPlace } = converted(schema, io)
  return inPlace
}

/** The JSON Schema of a request without references. */
export const inlineSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input', override })
  return JSON.parse(JSON.stringify(made))
}

/** Every schema that has a name, as `components.schemas`. */
export function namedSchemas(): Record<string, JsonSchema> {
  const all = (table: Record<string, z.ZodType>, io: 'input' | 'output') =>
    Object.entries(table).map(([id, schema]) => [id, converted(schema, io).$defs?.[id] ?? {}] as const)
  return Object.fromEntries([...all(requests, 'input'), ...all(records, 'output')])
}

function converted(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io, metadata: names, override })
  return JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({ zodSchema, jsonSchema: made }) => {
  const description = z.globalRegistry.get(zodSchema)?.description
  if (description) made.description = description
  // The format is enough; its pattern is long and hard to read.
  if (made.format === 'date-time' || made.format === 'uuid') delete made.pattern
  // Answers may get more fields later, and unknown fields of requests are ignored.
  if (made.additionalProperties === false) delete made.additionalProperties
  if (made.maximum === Number.MAX_SAFE_INTEGER) delete made.maximum
  if (made.minimum === Number.MIN_SAFE_INTEGER) delete made.minimum
}
