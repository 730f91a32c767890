// Converts the schemas that validate to JSON Schema: named ones as references, all others inline.

import * as z from 'zod'
import { addBodyRules } from './body-rules.ts'
import { namedSchemas } from './named-schemas.ts'

/** A JSON Schema of the 2020-12 dialect. */
export type JsonSchema = z.core.JSONSchema.BaseSchema

const noNames = z.registry<{ id: string }>()
const names = z.registry<{ id: string }>()
for (const [id, schema] of namedSchemas) names.add(schema, { id })

/** The JSON Schema, or a reference if it has a name. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $defs: _, ...inPlace } = convertSchema(schema, io)
  return inPlace
}

/** The JSON Schema without references, of a request unless said otherwise, and without the rules that only the document has: agents read it. */
export const toInlineSchema = (schema: z.ZodType, io: 'input' | 'output' = 'input'): JsonSchema => {
  const { $schema: _, ...generated } = z.toJSONSchema(schema, {
    io,
    metadata: noNames,
    override: simplifySchema,
  })
  return JSON.parse(JSON.stringify(generated))
}

/** The named schemas of requests and of responses, as `components.schemas`. A field of a request with a default is optional. */
export function listNamedSchemas(requests: z.ZodType[], responses: z.ZodType[]): Record<string, JsonSchema> {
  const list = (schemas: z.ZodType[], io: 'input' | 'output') =>
    schemas.map((schema) => convertSchema(schema, io).$defs)
  return Object.assign({}, ...list(requests, 'input'), ...list(responses, 'output'))
}

function convertSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...generated } = z.toJSONSchema(schema, {
    io,
    metadata: names,
    override: io === 'input' ? describeRequest : simplifySchema,
  })
  if (io === 'input') for (const [id, named] of Object.entries(generated.$defs ?? {})) addBodyRules(id, named)
  return JSON.parse(JSON.stringify(generated).replaceAll('"#/$defs/', '"#/components/schemas/'))
}

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>

const simplifySchema: Override = ({ zodSchema, jsonSchema: generated }) => {
  const description = z.globalRegistry.get(zodSchema)?.description
  if (description) generated.description = description
  // The format is enough; its pattern is long and hard to read.
  if (generated.format === 'date-time' || generated.format === 'uuid') delete generated.pattern
  // Answers may get more fields later, and unknown fields of requests are ignored.
  if (generated.additionalProperties === false) delete generated.additionalProperties
  if (generated.type === 'number' && generated.enum?.every(Number.isInteger)) generated.type = 'integer'
  if (generated.maximum === Number.MAX_SAFE_INTEGER) delete generated.maximum
  if (generated.minimum === Number.MIN_SAFE_INTEGER) delete generated.minimum
}

/** With what our own code checks and the schema cannot say by itself, which stands as `meta` beside it. */
const describeRequest: Override = (context) => {
  const { zodSchema, jsonSchema: generated } = context
  const hasSafeMaximum = generated.maximum === Number.MAX_SAFE_INTEGER
  simplifySchema(context)
  if (hasSafeMaximum) generated.maximum = Number.MAX_SAFE_INTEGER
  Object.assign(generated, z.globalRegistry.get(zodSchema))
}
