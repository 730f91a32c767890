// Removes empty fields: an optional field that is `null`, or an optional text that is empty, counts as absent.

import * as z from 'zod'

/** The optional fields of a body by name; true for texts. */
export type OptionalFields = ReadonlyMap<string, boolean>

/**
 * Computed once for each schema, so that a request only checks each optional field. `emptyTexts`: fields of which the empty text is
 * not absent.
 */
export function listOptionalFields(
  schema: z.core.$ZodType,
  emptyTexts: readonly string[] = [],
): OptionalFields {
  const inner = findObjectSchema(schema)
  return new Map(
    Object.entries(inner?._zod.def.shape ?? {})
      .filter(([, field]) => isOptional(field))
      .map(([name, field]) => [name, isText(field) && !emptyTexts.includes(name)]),
  )
}

/** Of all fields, also those that must be there. */
export const listFieldNames = (schema: z.core.$ZodType): ReadonlySet<string> =>
  new Set(Object.keys(findObjectSchema(schema)?._zod.def.shape ?? {}))

/** Whether a field with this value counts as absent. */
export const isEmptyField = (value: unknown, text: boolean): boolean =>
  value === null || (text && value === '')

/** Removes the empty fields. The body was just parsed and has no other owner, so it is changed in place. */
export function removeEmptyFields(body: unknown, optionalFields: OptionalFields): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const fields = body as Record<string, unknown>
  for (const [name, text] of optionalFields) if (isEmptyField(fields[name], text)) delete fields[name]
  return body
}

export const isOptional = (field: z.core.$ZodType): boolean => z.safeParse(field, undefined).success

const findObjectSchema = (schema: z.core.$ZodType): z.core.$ZodObject | undefined => {
  if (schema instanceof z.ZodObject) return schema
  if (!(schema instanceof z.ZodPipe)) return undefined
  return findObjectSchema(schema._zod.def.in) ?? findObjectSchema(schema._zod.def.out)
}

/** Enums, and values that are parsed from a text, are texts too. */
export function isText(field: z.core.$ZodType): boolean {
  const { def } = field._zod as { def: { type: string; innerType?: z.core.$ZodType; in?: z.core.$ZodType } }
  if (field instanceof z.ZodUnion) return field._zod.def.options.some(isText)
  if (field instanceof z.ZodPipe) return isText(field._zod.def.in) || isText(field._zod.def.out)
  if (def.innerType) return isText(def.innerType)
  return def.type === 'string' || def.type === 'enum'
}
