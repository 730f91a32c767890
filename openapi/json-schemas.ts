// Converts the schemas that validate to JSON Schema: named ones as references, all others inline.

import * as z from 'zod'
import {
  ConnectionEnvelope,
  MessagesEnvelope,
  MessagesUpdateEnvelope,
  TestEnvelope,
} from '../shared/contract/event-envelopes.ts'
import { HostRequest } from '../shared/contract/host-requests.ts'
import { ConnectRequest, InitRequest, Pairing } from '../shared/contract/instance-requests.ts'
import { ChatRead, SendText } from '../shared/contract/message-requests.ts'
import { PasskeyRequest } from '../shared/contract/passkey-requests.ts'
import { ReplayRequest } from '../shared/contract/replay-request.ts'
import { AuditEntry } from '../shared/contract/responses/audit-responses.ts'
import { Capabilities } from '../shared/contract/responses/diagnostics-responses.ts'
import { ErrorObject } from '../shared/contract/responses/error-response.ts'
import { DeliveryFailure, EventRecord, Redriven } from '../shared/contract/responses/event-responses.ts'
import { Host } from '../shared/contract/responses/host-responses.ts'
import {
  Connection,
  DisconnectResult,
  InitResult,
  Instance,
  RestartResult,
} from '../shared/contract/responses/instance-responses.ts'
import { MessageRecord } from '../shared/contract/responses/message-responses.ts'
import { AdminToken } from '../shared/contract/responses/token-responses.ts'
import {
  DeliveryStatus,
  ServerWebhook,
  Webhook,
  WebhookDeleted,
  WebhookHealth,
  WebhookTested,
} from '../shared/contract/responses/webhook-responses.ts'
import { ServerWebhookEnd, WebhookEnd, WebhookSave } from '../shared/contract/webhook-requests.ts'

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
  Instance,
  Pairing,
  Connection,
  InitResult,
  RestartResult,
  DisconnectResult,
  MessageRecord,
  Webhook,
  ServerWebhook,
  WebhookDeleted,
  WebhookHealth,
  DeliveryStatus,
  EventRecord,
  DeliveryFailure,
  Redriven,
  WebhookTested,
  TestEnvelope,
  ConnectionEnvelope,
  MessagesEnvelope,
  MessagesUpdateEnvelope,
  Host,
  AdminToken,
  Capabilities,
  AuditEntry,
  Error: ErrorObject,
}

const names = z.registry<{ id: string }>()
for (const [id, schema] of Object.entries({ ...requests, ...records })) names.add(schema, { id })

/** The JSON Schema, or a reference if it has a name. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $defs: _, ...inPlace } = convertSchema(schema, io)
  return inPlace
}

/** The JSON Schema of a request without references. */
export const toInlineSchema = (schema: z.ZodType): JsonSchema => {
  const { $schema: _, ...generated } = z.toJSONSchema(schema, { io: 'input', override })
  return JSON.parse(JSON.stringify(generated))
}

/** Every schema that has a name, as `components.schemas`. */
export function listNamedSchemas(): Record<string, JsonSchema> {
  const all = (table: Record<string, z.ZodType>, io: 'input' | 'output') =>
    Object.entries(table).map(([id, schema]) => [id, convertSchema(schema, io).$defs?.[id] ?? {}] as const)
  return Object.fromEntries([...all(requests, 'input'), ...all(records, 'output')])
}

function convertSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...generated } = z.toJSONSchema(schema, { io, metadata: names, override })
  return JSON.parse(JSON.stringify(generated).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

const override: NonNullable<z.core.ToJSONSchemaParams['override']> = ({
  zodSchema,
  jsonSchema: generated,
}) => {
  const description = z.globalRegistry.get(zodSchema)?.description
  if (description) generated.description = description
  // The format is enough; its pattern is long and hard to read.
  if (generated.format === 'date-time' || generated.format === 'uuid') delete generated.pattern
  // Answers may get more fields later, and unknown fields of requests are ignored.
  if (generated.additionalProperties === false) delete generated.additionalProperties
  if (generated.maximum === Number.MAX_SAFE_INTEGER) delete generated.maximum
  if (generated.minimum === Number.MIN_SAFE_INTEGER) delete generated.minimum
}
