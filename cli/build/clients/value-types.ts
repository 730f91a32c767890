// The types of the clients in other languages: JSON Schemas become records with names, lists and choices, which each language spells in its own way.

import type { JsonSchema } from '@msgnet/openapi/json-schemas.ts'
import { toPascalCase } from './text-layout.ts'

export type ValueType =
  | { kind: 'text'; values?: string[] }
  | { kind: 'integer' | 'number' | 'boolean' | 'any' }
  | { kind: 'list' | 'map' | 'nullable'; of: ValueType }
  | { kind: 'record'; name: string }
  | { kind: 'choice'; among: ValueType[] }

export interface Field {
  name: string
  type: ValueType
  required: boolean
  description: string
}

export interface RecordType {
  name: string
  description: string
  fields: Field[]
}

const REFERENCE = '#/components/schemas/'
/** How a query parameter spells a boolean. */
const FLAGS = new Set(['true', 'false', '1', '0'])

/** Collects the records that the routes use, each under one name. */
export class TypeCollector {
  readonly #named: Record<string, JsonSchema>
  readonly #records = new Map<string, RecordType>()

  /** `named`: the schemas that others refer to. */
  constructor(named: Record<string, JsonSchema>) {
    this.#named = named
  }

  /** In the order of their names. */
  listRecords(): RecordType[] {
    return [...this.#records.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** `name`: for a record that has none of its own. */
  toType(schema: JsonSchema, name: string): ValueType {
    if (schema.$ref) return this.#addNamed(schema.$ref.slice(REFERENCE.length))
    const variants = listVariants(schema)
    if (variants) return this.#toVariant(schema, variants, name)
    const notNull = withoutNull(schema)
    if (notNull) return { kind: 'nullable', of: this.toType(notNull, name) }
    if (schema.const !== undefined) return toEnumType([schema.const])
    if (schema.enum) return toEnumType(schema.enum)
    switch (schema.type) {
      case 'string':
        return { kind: 'text' }
      case 'integer':
      case 'number':
      case 'boolean':
        return { kind: schema.type }
      case 'array':
        return { kind: 'list', of: this.toType(schema.items as JsonSchema, name) }
      case 'object':
        return this.#toObjectType(schema, name)
      default:
        return { kind: 'any' }
    }
  }

  /** The fields of an object, or of what its variants have together. */
  listFields(schema: JsonSchema, name: string): Field[] {
    const variants = listVariants(schema)
    if (schema.$ref) return this.listFields(this.#resolve(schema), name)
    if (variants) return mergeFields(variants.map((variant) => this.listFields(variant, name)))
    const required = new Set(schema.required ?? [])
    return Object.entries(schema.properties ?? {}).map(([field, property]) => ({
      name: field,
      type: this.toType(property as JsonSchema, name + toPascalCase(field)),
      required: required.has(field),
      description: (property as JsonSchema).description ?? '',
    }))
  }

  /** Under a name that nothing else has, or that has the same fields. */
  addRecord(name: string, description: string, fields: Field[]): ValueType {
    const known = this.#records.get(name)
    if (known && JSON.stringify(known.fields) !== JSON.stringify(fields))
      throw new Error(`two different records are named ${name}`)
    this.#records.set(name, { name, description, fields })
    return { kind: 'record', name }
  }

  #resolve(schema: JsonSchema): JsonSchema {
    if (!schema.$ref) return schema
    const found = this.#named[schema.$ref.slice(REFERENCE.length)]
    if (!found) throw new Error(`there is no ${schema.$ref}`)
    return this.#resolve(found)
  }

  #addNamed(name: string): ValueType {
    const schema = this.#resolve({ $ref: REFERENCE + name })
    if (this.#records.has(name)) return { kind: 'record', name }
    if (!isObject(schema) && !listVariants(schema)?.every((variant) => isObject(this.#resolve(variant))))
      return this.toType(schema, name)
    return this.addRecord(name, schema.description ?? '', this.listFields(schema, name))
  }

  #toObjectType(schema: JsonSchema, name: string): ValueType {
    const { additionalProperties: more, properties = {} } = schema
    // What a browser makes or reads is passed on as it is, with fields that nobody here knows.
    if (more !== undefined && Object.keys(properties).length > 0) return { kind: 'map', of: { kind: 'any' } }
    if (more !== undefined || Object.keys(properties).length === 0)
      return { kind: 'map', of: this.toType(more === true || !more ? {} : more, name) }
    return this.addRecord(name, schema.description ?? '', this.listFields(schema, name))
  }

  #toVariant(schema: JsonSchema, variants: JsonSchema[], name: string): ValueType {
    const others = variants.filter(({ type }) => type !== 'null')
    if (others.length < variants.length) return { kind: 'nullable', of: this.#toUnion(schema, others, name) }
    return this.#toUnion(schema, variants, name)
  }

  #toUnion(schema: JsonSchema, variants: JsonSchema[], name: string): ValueType {
    const [only, ...others] = variants
    if (only && others.length === 0) return this.toType(only, name)
    if (variants.every((variant) => isObject(this.#resolve(variant))))
      return this.addRecord(name, schema.description ?? '', this.listFields({ anyOf: variants }, name))
    return variants.map((variant) => this.toType(variant, name)).reduce(mergeTypes)
  }
}

/** What `null` may stand for: the schema of the other values. */
function withoutNull(schema: JsonSchema): JsonSchema | undefined {
  if (!Array.isArray(schema.type) || !schema.type.includes('null')) return undefined
  const [type, ...others] = schema.type.filter((each) => each !== 'null')
  if (!type || others.length > 0) return undefined
  return { ...schema, type, ...(schema.enum && { enum: schema.enum.filter((value) => value !== null) }) }
}

const isObject = ({ type }: JsonSchema): boolean => type === 'object'

const listVariants = ({ anyOf, oneOf }: JsonSchema) => (anyOf ?? oneOf) as JsonSchema[] | undefined

function toEnumType(values: unknown[]): ValueType {
  if (values.every((value) => typeof value === 'boolean')) return { kind: 'boolean' }
  if (values.every((value) => typeof value === 'number'))
    return { kind: values.every(Number.isInteger) ? 'integer' : 'number' }
  const named = values.filter((value) => value !== null && value !== '')
  if (named.length > 0 && named.every((value) => FLAGS.has(String(value)))) return { kind: 'boolean' }
  if (!values.every((value) => typeof value === 'string')) return { kind: 'any' }
  return { kind: 'text', values: [...new Set(values)] }
}

/** A field is required if each variant requires it; a text that each variant spells in its own way may be any of them. */
function mergeFields(variants: Field[][]): Field[] {
  const byName = Map.groupBy(variants.flat(), ({ name }) => name)
  return [...byName].map(([name, same]) => ({
    name,
    type: same.map(({ type }) => type).reduce(mergeTypes),
    required: same.length === variants.length && same.every(({ required }) => required),
    description: same.map(({ description }) => description).find(Boolean) ?? '',
  }))
}

function mergeTypes(one: ValueType, other: ValueType): ValueType {
  if (JSON.stringify(one) === JSON.stringify(other)) return one
  if (one.kind === 'nullable') return { kind: 'nullable', of: mergeTypes(one.of, other) }
  if (one.kind === 'text' && other.kind === 'text') {
    if (!one.values || !other.values) return { kind: 'text' }
    return { kind: 'text', values: [...new Set([...one.values, ...other.values])] }
  }
  return { kind: 'choice', among: [...(one.kind === 'choice' ? one.among : [one]), other] }
}
