// The protocol of `/mcp`, by the package that knows its revisions. The package is a large part of all that an edge loads, and most gateways offer no tools: so
// this file is imported only where it is needed.

import {
  type CallToolResult,
  createMcpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server'
import type { RouteTool } from '@msgnet/shared/api/route-tool.ts'
import { CONTRACT_VERSION } from '@msgnet/shared/contract/contract-version.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'

const INSTRUCTIONS =
  'Tools of a messaging gateway. Results are the JSON of its HTTP API. 504 outcome_unknown means that an effect may have happened: ask again with the same idempotencyKey only.'

export type Arguments = Record<string, unknown>

/** What one caller may use: `listed` are the tools that it sees, and it may call each of `offered`. */
export interface ToolCaller {
  offered: RouteTool[]
  listed: RouteTool[]
  callTool(tool: RouteTool, input: Arguments): Promise<CallToolResult>
}

/** Answers one request of the protocol. Nothing is remembered between two of them. */
export const serveProtocol = (
  caller: ToolCaller,
  { request, parsedBody }: { request: Request; parsedBody?: unknown },
): Promise<Response> =>
  createMcpHandler(() => createServer(caller), { maxRequestBodySize: limits.maxMediaBodyBytes }).fetch(
    request,
    { parsedBody },
  )

function createServer({ offered, listed, callTool }: ToolCaller): Server {
  const server = new Server(
    { name: 'msgnet-gateway', version: CONTRACT_VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  )
  server.setRequestHandler('tools/list', () => ({
    tools: listed.map(({ request: _, set: __, ...tool }) => tool),
  }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: input = {} } }) => {
    const tool = offered.find((one) => one.name === name)
    if (tool) return callTool(tool, input)
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${name} for this token.`)
  })
  return server
}
