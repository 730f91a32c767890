// The type of a declared route. The app, the OpenAPI document, its page and the typed client are made from the declaration.

import type * as z from 'zod'
import type { Scope } from '../contract/admin-scope.ts'
import type { AuditAction, ReadingAction } from '../contract/audit-actions.ts'
import type { ChatUse, TokenAccess, TokenScope } from '../contract/scoped-token.ts'
import type { FaultName } from '../fault-table.ts'
import { type ActionInput, type ActionName, isReadOnly } from '../wire/session-actions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Effect = 'reads' | 'changes' | 'destroys'
export type UseRate = 'STREAM_RATE' | 'WEBHOOK_CHANGE_RATE'
/** What an `{id}` in a path can name. */
export type Named = 'instance' | 'host' | 'token' | 'event' | 'message' | 'webhook'
type Samples = Record<string, unknown>

export interface Route {
  method: Method
  /** As OpenAPI spells paths: `/v1/instances/{id}`. */
  path: `/${string}`
  /** The kind of token that the route needs. */
  auth: 'admin' | 'instance' | 'host' | 'none'
  /** The scope that an admin token must have; by default `read` for a GET and `operate` for any other. */
  scope?: Scope
  /** The scope that a scoped token of the instance must have; `own` if the route takes the instance's own token only, as does one that says nothing. */
  tokenScope?: TokenScope | 'own'
  /** How it treats a scoped token for some chats only. */
  chats?: ChatUse
  /** An instance's route that an admin token of this scope may call too. */
  adminScope?: Scope
  /** The query fields of which an admin token needs one there: without it the request is an instance's, whose token is missing. */
  adminNames?: readonly string[]
  /** Its answer has texts or files of messages: an admin who acts for the instance is then in the audit log, by this name. */
  showsTexts?: ReadingAction
  /** The name of its entries in the audit log, done or refused. */
  audit?: AuditAction
  /** What `{id}` in the path names. */
  names?: Named
  /** What the second id in the path names, of the instance that `{id}` names. */
  namesWithin?: 'link' | 'scopedToken'
  summary: string
  /** What a caller must know in addition to the fields. Plain text; backticks are the only Markdown. */
  description?: string
  query?: z.ZodObject
  /** Parameters with their own error codes; the code of any other is `invalid_query`. */
  queryFaults?: Record<string, FaultName>
  /** Any other parameter is refused, because an ignored filter would return more than the caller asked for. */
  onlyKnownQuery?: boolean
  /** Request headers of this route alone; its handler reads them. */
  header?: z.ZodObject
  body?: RequestBody
  /** The body is not read as JSON; the handler may read it. */
  rawBody?: true
  response: RouteResponse
  /** Responses of another status that are no faults. */
  otherResponses?: RouteResponse[]
  /** What its handler counts of the caller, apart from the requests. */
  rate?: UseRate
  /** Its answer may have hundreds of KiB: it is served in turns by token, and its bytes are counted. */
  cost?: 'page'
  /** Its answer has an ETag: a caller that names it gets 304 while nothing has changed. */
  conditional?: true
  /** Asked too often to be compressed. */
  uncompressed?: true
  /** The answer contains a token, so no cache may store it. */
  holdsToken?: true
  /** It goes on working, and its answers say that it is to end. The page on versions says what takes its place. */
  deprecated?: Deprecation
  /** In addition to the faults that follow from the credential, the body, the path and the key. */
  faults?: readonly FaultName[]
  /** Only where it is another one than `getEffect` finds: `reads` changes nothing, `changes` can be undone, `destroys` cannot. A hint for agents. */
  effect?: Effect
  /** Takes an Idempotency-Key, and stores the answer for so many seconds. */
  idempotent?: number
  /** The route passes its body on to the instance's session; without an action it has a handler in the edge. */
  action?: ActionName
  /**
   * What the instance must have for the action: a session that is logged in (`login` by default), a host that may know
   * the message that the body names (`host`), or the kind `calls` (`voice`).
   */
  requires?: 'login' | 'host' | 'voice'
}

/** Days, as `2027-01-31`. */
export interface Deprecation {
  since: string
  /** Its end, once that is known. */
  sunset?: string
}

export interface RequestBody {
  schema: z.ZodType
  /** Valid bodies, by what they show. */
  samples: Samples
  /** No body at all stands for `{}`. */
  optional?: true
  /** Fields with their own error codes; the code of any other is `invalid_body`. */
  faults?: Record<string, FaultName>
  /** In bytes; `limits.maxBodyBytes` by default. */
  maxBytes?: number
  /** `application/json` by default. A body of another type is not parsed: the handler passes it on as it comes. */
  type?: string
  /** The fields that may hold files as base64, of which no copy is made when the body is parsed. In a list they are in curly brackets. */
  fileFields?: readonly string[]
  /** Optional texts of which the empty one has a meaning; of others it counts as absent. */
  emptyTexts?: readonly string[]
  /** Fields of the API family that are refused by name. */
  unsupported?: readonly string[]
  /** Any other field is refused by its name too: an ignored filter would return more, and an ignored limit of a token allow more, than the caller asked for. */
  onlyKnown?: true
  /** The handler checks the fields in its own order; before that, the body is only checked to be an object. */
  checkedByHandler?: true
  /** Of a dialect: it may be `multipart/form-data` too. */
  form?: FormBody
}

export interface FormBody {
  /** The field that the file of the form becomes. */
  file: string
  /** Fields that are more than a text: in a form they are JSON, or come several times. */
  structured: readonly string[]
}

export interface RouteResponse {
  /** 200 by default. */
  status?: number
  description: string
  schema?: z.ZodType
  /** `application/json` by default. */
  type?: string
  samples?: Samples
  /** The fixed answer, which does not depend on the action's result. */
  always?: unknown
}

/** The types that a handler gets and returns. */
export type BodyOf<R> = R extends { body: { type: string } }
  ? undefined
  : R extends { body: { schema: infer Body } }
    ? z.output<Body>
    : undefined
export type QueryOf<R> = R extends { query: infer Query } ? z.output<Query> : Record<never, never>
export type ValueOf<R> = R extends { response: { schema: infer Value } } ? z.output<Value> : unknown

/** An action takes the body of its route as its input; a `messageid` is added on the way. */
type Fitting<R> = R extends { action: infer Action extends ActionName }
  ? BodyOf<R> extends Omit<ActionInput<Action>, 'messageid'>
    ? unknown
    : { action: 'the action takes another body' }
  : unknown

/** Whether an action only reads stands once, with the action. */
type EffectOnce<R> = R extends { action: ActionName; effect: 'reads' }
  ? { effect: 'its action says whether it only reads' }
  : unknown

/** A new route of an instance says what scoped tokens may do there. */
type Scoped<R> = R extends { auth: 'instance' }
  ? R extends TokenAccess
    ? unknown
    : { tokenScope: 'says what a scoped token may do, and chats what one for some chats may' }
  : unknown

export const defineRoute = <R extends Route>(route: R & Fitting<R> & EffectOnce<R> & Scoped<R>): R => route

/** A GET reads, and so does a route whose action only reads; a DELETE destroys. */
export function getEffect({ method, effect, action }: Route): Effect {
  if (effect) return effect
  if (method === 'GET' || (action && isReadOnly(action))) return 'reads'
  return method === 'DELETE' ? 'destroys' : 'changes'
}

/** Routes that belong together. A route's name is its operation id and the name of its method in clients. */
export interface Chapter<Routes extends Record<string, Route> = Record<string, Route>> {
  title: string
  description: string
  routes: Routes
}

export const defineChapter = <Routes extends Record<string, Route>>(
  chapter: Chapter<Routes>,
): Chapter<Routes> => chapter

/** The single answer of most routes. `sample`: for answers that `npm run samples` does not record. */
export const describeResponse = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  sample?: unknown,
) => ({
  description,
  schema,
  ...(sample !== undefined && { samples: { answer: sample } }),
})

/** For a route that always gives the same answer. */
export const describeFixedResponse = <Schema extends z.ZodType>(
  schema: Schema,
  description: string,
  value: z.output<Schema>,
) => ({ ...describeResponse(schema, description, value), always: value })
