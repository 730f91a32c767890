// The type of a route as a tool of the Model Context Protocol, made with the document and served at `/mcp`.

import type { Scope } from '../contract/admin-scope.ts'
import type { ChatUse, TokenScope } from '../contract/scoped-token.ts'
import type { ToolSet } from '../contract/tool-sets.ts'
import type { Method } from './route-declaration.ts'

interface ObjectSchema {
  type: 'object'
  [keyword: string]: unknown
}

/** A tool as `tools/list` returns it, the set that it belongs to, and the request that a call makes. */
export interface RouteTool {
  name: string
  description: string
  inputSchema: ObjectSchema
  outputSchema?: ObjectSchema
  /** What is not the protocol's own default; a tool that only reads needs no other hint. */
  annotations: { readOnlyHint: true } | { destructiveHint: boolean }
  set: ToolSet
  request: {
    method: Method
    path: string
    auth: 'admin' | 'instance'
    /** What an admin token must have: for its own route, or for one of an instance that it acts for. */
    scope: Scope
    /** Arguments that go into the query; the rest is the body. */
    query: string[]
    /** Of a route of an instance, as its declaration says it. */
    tokenScope?: TokenScope | 'own'
    chats?: ChatUse
  }
}

/** The tool that is no route: it waits at the stream of events. */
export const WAIT_TOOL = 'wait_for_message'
