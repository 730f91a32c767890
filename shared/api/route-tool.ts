// The type of a route as a tool of the Model Context Protocol, made with the document and served at `/mcp`.

import type { Method } from './route-declaration.ts'

/** A tool as `tools/list` returns it, and the request that a call makes. */
export interface RouteTool {
  name: string
  title: string
  description: string
  inputSchema: { type: 'object'; [keyword: string]: unknown }
  annotations: {
    readOnlyHint: boolean
    destructiveHint: boolean
    idempotentHint: boolean
    openWorldHint: boolean
  }
  request: {
    method: Method
    path: string
    auth: 'admin' | 'instance'
    /** Arguments that go into the query; the rest is the body. */
    query: string[]
  }
}
