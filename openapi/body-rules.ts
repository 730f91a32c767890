// Adds to the schema of a body what the edge does with every body: `null` stands for an absent field, and some fields are refused by name.

import { chapters } from '@msgnet/shared/api/api.ts'
import type { RequestBody } from '@msgnet/shared/api/route-declaration.ts'
import { isOptional } from '@msgnet/shared/contract/empty-fields.ts'
import * as z from 'zod'
import { namedSchemas } from './named-schemas.ts'

type Schema = z.core.JSONSchema.BaseSchema

const listForms = (schema: z.ZodType): z.ZodType[] =>
  schema instanceof z.ZodUnion ? (schema.options as z.ZodType[]) : [schema]

const bodies = new Map<z.ZodType, RequestBody>(
  chapters
    .flatMap(({ routes }) => Object.values(routes))
    .flatMap(({ body }) => (body ? listForms(body.schema).map((form) => [form, body] as const) : [])),
)

const schemas = new Map(namedSchemas)

/** Changes the named schema in place, if it is that of a body. */
export function addBodyRules(name: string, generated: Schema): void {
  const schema = schemas.get(name)
  const body = schema && bodies.get(schema)
  if (!body || !(schema instanceof z.ZodObject)) return
  const { properties = {} } = generated
  for (const [field, fieldSchema] of Object.entries<z.ZodType>(schema.shape))
    if (isOptional(fieldSchema)) properties[field] = allowNull(properties[field] as Schema)
  if (body.onlyKnown) generated.additionalProperties = false
  if (body.unsupported) generated.propertyNames = { not: { enum: [...body.unsupported] } }
}

function allowNull({ description, default: preset, ...schema }: Schema): Schema {
  const nothing = { type: 'null' } as const
  const annotations = {
    ...(description && { description }),
    ...(preset !== undefined && { default: preset }),
  }
  if (schema.anyOf) {
    const forms = schema.anyOf.flatMap((form) => (form as Schema).anyOf ?? form) as Schema[]
    return { ...schema, anyOf: [...forms.filter(({ type }) => type !== 'null'), nothing], ...annotations }
  }
  if (schema.$ref || schema.const !== undefined) return { anyOf: [schema, nothing], ...annotations }
  const { type, enum: values } = schema
  return {
    ...schema,
    ...(type && { type: [type, 'null'] as never }),
    ...(values && { enum: [...new Set([...values, null])] }),
    ...annotations,
  }
}
