// An operation of the API as its chapter declares it; the document and the page are made from these.

import type * as z from 'zod'
import type { FaultName } from '../faults.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** As OpenAPI spells paths: `/v1/instances/{id}`. */
export type Route = `${Method} /${string}`

export interface Operation {
  /** Unique; names the method in generated clients. */
  id: string
  summary: string
  /** What a caller must know beyond the fields, in Markdown with backticks and nothing else. */
  says?: string
  who: 'admin' | 'instance' | 'host' | 'anybody'
  /** What an `{id}` in the path names. */
  named?: 'instance' | 'host'
  query?: z.ZodObject
  header?: z.ZodObject
  body?: Body
  answers: Answer[]
  /** Beside those that follow from who may ask, from the body, the path and the key. */
  faults?: FaultName[]
  /** Takes an Idempotency-Key, and keeps the answer for so many seconds. */
  replays?: number
}

export interface Body {
  schema: z.ZodType
  /** No body at all stands for `{}`. */
  optional?: true
  /** By what they show. */
  examples: Record<string, unknown>
}

export interface Answer {
  status: number
  says: string
  schema?: z.ZodType
  /** `application/json` unless told. */
  type?: string
  examples?: Record<string, unknown>
}

export interface Chapter {
  title: string
  says: string
  operations: Record<Route, Operation>
}

/** The one answer that most operations have. */
export const answers = (schema: z.ZodType, says: string, example: unknown): Answer[] => [
  { status: 200, says, schema, examples: { answer: example } },
]

/** A sentence about fields of the family that would be without effect. */
export const refusing = (names: readonly string[]): string =>
  `Not supported, and refused by name: ${names.map((name) => `\`${name}\``).join(', ')}.`
