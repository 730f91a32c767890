// Reads the export of an instance line by line.

import type { Connect, Options } from './call.ts'
import { GatewayUnreachable } from './errors.ts'
import { openLines } from './lines.ts'

/** `type` is the kind of record, and the field of that name holds it. The last line is `end`, with `counts`, and with `missing` if the host has too old a version. */
export type ExportLine = { type: string } & Record<string, unknown>

/** Resolves when the export begins; then iterate. Throws a GatewayUnreachable if it breaks: it is complete only with its `end`. */
export async function openExport(
  connect: Connect & { adminToken: string },
  id: string,
  { requestId, signal }: Omit<Options, 'waitSeconds'> = {},
): Promise<AsyncIterable<ExportLine>> {
  const headers = {
    admintoken: connect.adminToken,
    ...(requestId !== undefined && { 'x-request-id': requestId }),
  }
  const path = `/v1/instances/${encodeURIComponent(id)}/export`
  return linesOf(await openLines(connect, path, { headers, signal }))
}

async function* linesOf(lines: AsyncGenerator<string>): AsyncGenerator<ExportLine> {
  for await (const text of lines) {
    const line: ExportLine = JSON.parse(text)
    if (line.type === 'error') throw brokenOff(line)
    yield line
    if (line.type === 'end') return
  }
  throw brokenOff('there is no last line')
}

const brokenOff = (cause: unknown) =>
  new GatewayUnreachable('the export broke off', { cause, idempotencyKey: undefined })
