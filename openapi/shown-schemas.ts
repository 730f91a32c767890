// Decides where the page shows a schema: as a record, to which several places lead, or in the only place that uses it.

import type { JsonSchema } from './json-schemas.ts'

export type Schema = JsonSchema & { $ref?: string }

interface Answers {
  paths: Record<string, Record<string, { responses: object }>>
  webhooks: object
  components: { schemas: Record<string, JsonSchema> }
}

export const getSchemaName = (ref: string): string => ref.split('/').at(-1) ?? ''

export class ShownSchemas {
  readonly #schemas: Record<string, JsonSchema>
  readonly #uses = new Map<string, number>()

  constructor({ paths, webhooks, components }: Answers) {
    this.#schemas = components.schemas
    for (const operations of Object.values(paths))
      for (const { responses } of Object.values(operations)) this.#countUses(responses)
    this.#countUses(webhooks)
  }

  listRecords(): [string, Schema][] {
    return Object.entries(this.#schemas).filter(([name]) => this.#isRecord(name)) as [string, Schema][]
  }

  /** The fields of a schema that has no place of its own; any other schema as it is. */
  resolveHere(schema: Schema): Schema {
    const name = getSchemaName(schema.$ref ?? '')
    const named = this.#schemas[name]
    if (!named || this.#isRecord(name)) return schema
    const { $ref: _, ...here } = schema
    return { ...named, ...here } as Schema
  }

  #isRecord(name: string): boolean {
    return (this.#uses.get(name) ?? 0) > 1
  }

  /** The kind of the entries of a list has a place of its own, although only the list uses it. */
  #countUses(value: unknown, weight = 1): void {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref') this.#countUse(getSchemaName(String(inner)), weight)
      else this.#countUses(inner, ['items', 'anyOf', 'oneOf'].includes(key) || Array.isArray(value) ? 2 : 1)
    }
  }

  #countUse(name: string, weight: number): void {
    const isFirst = !this.#uses.has(name)
    this.#uses.set(name, (this.#uses.get(name) ?? 0) + weight)
    if (isFirst) this.#countUses(this.#schemas[name])
  }
}
