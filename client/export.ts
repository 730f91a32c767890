// Everything that is kept of an instance, read line by line while it comes.

import type { Connect, Options } from './call.ts'
import { GatewayUnreachable } from './errors.ts'
import { openLines } from './lines.ts'

/** `type` says what it is; the record stands under that name. The last one is `end`, with `counts`, and `missing` where the host is too old to tell all. */
export type ExportLine = { type: string } & Record<string, unknown>

/** Resolves once it begins; then iterate. Throws a GatewayUnreachable where it breaks off: it is whole only with its `end`. */
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
