// Fields that say nothing: `null` for any that may be left out, and the empty text for a text, are as if they were not there.

import * as z from 'zod'

/** By name, the fields of a body that may be left out; true for those that are texts. */
export type OptionalFields = ReadonlyMap<string, boolean>

/** Found once a schema, so that a request costs a look at each optional field. */
export function optionalFieldsOf(schema: z.core.$ZodType): OptionalFields {
  const inner = objectIn(schema)
  return new Map(
    Object.entries(inner?._zod.def.shape ?? {})
      .filter(([, field]) => mayBeAbsent(field))
      .map(([name, field]) => [name, isText(field)]),
  )
}

/** Whether a field with this value is as good as absent. */
export const isEmpty = (value: unknown, text: boolean): boolean => value === null || (text && value === '')

/** The same body without what says nothing. It is freshly parsed and nobody else's: it is changed in place. */
export function withoutEmptyFields(body: unknown, optionalFields: OptionalFields): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  for (const [name, text] of optionalFields) if (isEmpty(fields[name], text)) delete fields[name]
  return body
}

export const mayBeAbsent = (field: z.core.$ZodType): boolean => z.safeParse(field, undefined).success

const objectIn = (schema: z.core.$ZodType): z.core.$ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema
  if (!(schema instanceof z.ZodPipe)) return undefined
  return objectIn(schema._zod.def.in) ?? objectIn(schema._zod.def.out)
}

/** A word of a list and what is parsed from a text are texts too. */
export function isText(field: z.core.$ZodType): boolean {
  const { def } = field._zod as { def: { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType } }
  if (field instanceof z.ZodUnion) return field._zod.def.options.some(isText)
  if (field instanceof z.ZodPipe) return isText(field._zod.def.in) || isText(field._zod.def.out)
  if (def.innerType) return isText(def.innerType)
  return def.type === 'string' || def.type === 'enum'
}
