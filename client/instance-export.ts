// Reads the export of an instance line by line.

import { GatewayUnreachable } from './errors.ts'
import type { Connect, Options } from './request-sender.ts'
import { openLines } from './response-lines.ts'

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
  return parseExportLines(await openLines(connect, path, { headers, signal }))
}

async function* parseExportLines(lines: AsyncGenerator<string>): AsyncGenerator<ExportLine> {
  for await (const text of lines) {
    const line: ExportLine = JSON.parse(text)
    if (line.type === 'error') throw createBrokenExportError(line)
    yield line
    if (line.type === 'end') return
  }
  throw createBrokenExportError('there is no last line')
}

const createBrokenExportError = (cause: unknown) =>
  new GatewayUnreachable('the export broke off', { cause, idempotencyKey: undefined })
