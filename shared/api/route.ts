// A route of the API as its chapter declares it, once: the app, the document, its page and the typed client are made from it.

import type * as z from 'zod'
import type { AuditAction } from '../contract/audit.ts'
import type { FaultName } from '../faults.ts'
import type { ActionInput, ActionName } from '../wire/actions.ts'
import type { Scope } from './scope.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
/** What an `{id}` in a path can name. */
export type Named = 'instance' | 'host' | 'token'
type Samples = Record<string, unknown>

export interface Route {
  method: Method
  /** As OpenAPI spells paths: `/v1/instances/{id}`. */
  path: `/${string}`
  /** Whose token it takes. */
  auth: 'admin' | 'instance' | 'host' | 'none'
  /** What an admin token must be good for; `read` for a GET and `operate` for any other unless told. */
  scope?: Scope
  /** The audit log has it under this name, done or refused. */
  audit?: AuditAction
  /** What `{id}` in the path names. */
  names?: Named
  summary: string
  /** What a caller must know beyond the fields, in Markdown with backticks and nothing else. */
  description?: string
  query?: z.ZodObject
  /** Codes for parameters of the query that have their own; any other is `invalid_query`. */
  queryFaults?: Record<string, FaultName>
  /** Request headers of this route alone; its handler reads them. */
  header?: z.ZodObject
  body?: RequestBody
  /** The body is not read as JSON: its handler reads it, or nobody. */
  rawBody?: true
  answer: Answer
  /** Answers of another status that are no faults. */
  otherAnswers?: Answer[]
  /** The answer holds a token: nobody on its way may keep it. */
  tellsToken?: true
  /** Beside those that follow from who may ask, from the body, the path and the key. */
  faults?: readonly FaultName[]
  /** Of what is not GET: `reads` changes nothing, `destroys` cannot be taken back. Programs that choose by themselves are told. */
  effect?: 'reads' | 'destroys'
  /** Takes an Idempotency-Key, and keeps the answer for so many seconds. */
  idempotent?: number
  /** The route passes its body on to the instance's session; without an action it has a handler in the edge. */
  action?: ActionName
  /**
   * What the instance must have for the action: a session that is logged in (`login`, unless told), a host that may know
   * the message that the body names (`host`), or the kind `calls` (`voice`).
   */
  requires?: 'login' | 'host' | 'voice'
}

export interface RequestBody {
  schema: z.ZodType
  /** Valid bodies, by what they show. */
  samples: Samples
  /** No body at all stands for `{}`. */
  optional?: true
  /** Codes for fields that have their own; any other is `invalid_body`. */
  faults?: Record<string, FaultName>
  /** In bytes; `limits.bodyBytes` unless told. */
  maxBytes?: number
  /** Fields of the API family that are refused by name. */
  unsupported?: readonly string[]
  /** Any other field is refused by its name too: a filter that is passed over would answer more than was asked for. */
  onlyKnown?: true
  /** The handler checks the fields, in an order of its own; before it the body is only known to be an object. */
  checkedByHandler?: true
}

export interface Answer {
  /** 200 unless told. */
  status?: number
  description: string
  schema?: z.ZodType
  /** `application/json` unless told. */
  type?: string
  samples?: Samples
  /** What is answered whatever the action's result is. */
  always?: unknown
}

/** What a handler gets of a request, and what it answers. */
export type BodyOf<R> = R extends { body: { schema: infer Body } } ? z.output<Body> : undefined
export type QueryOf<R> = R extends { query: infer Query } ? z.output<Query> : Record<never, never>
export type ValueOf<R> = R extends { answer: { schema: infer Value } } ? z.output<Value> : unknown

/** An action takes the body of its route as its input; a `messageid` is added on the way. */
type Fitting<R> = R extends { action: infer Action extends ActionName }
  ? BodyOf<R> extends Omit<ActionInput<Action>, 'messageid'>
    ? unknown
    : { action: 'the action takes another body' }
  : unknown

export const defineRoute = <R extends Route>(route: R & Fitting<R>): R => route

/** Routes that are told together. A route's name is its operation id, and its method's in clients. */
export interface Chapter<Routes extends Record<string, Route> = Record<string, Route>> {
  title: string
  description: string
  routes: Routes
}

export const defineChapter = <Routes extends Record<string, Route>>(
  chapter: Chapter<Routes>,
): Chapter<Routes> => chapter

/** The one answer that most routes have. `sample`: for those whose answers are not recorded by `npm run samples`. */
export const answers = <Schema extends z.ZodType>(schema: Schema, description: string, sample?: unknown) => ({
  description,
  schema,
  ...(sample !== undefined && { samples: { answer: sample } }),
})

/** The same words each time. */
export const alwaysAnswers = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  value: z.output<Schema>,
) => ({ ...answers(schema, description, value), always: value })
