// Reads responses that arrive line by line: the events of an instance, and its export.

import type { ChangeEnvelope } from '../shared/contract/change-envelopes.ts'
import type { Envelope } from '../shared/contract/event-envelopes.ts'
import { GatewayError, GatewayUnreachable } from './errors.ts'
import type { Connect, Options } from './request-sender.ts'

export interface StreamFrom {
  /** The `seq` of the last event that was handled; without it only new events come. */
  after?: number
  /** Ends the stream. */
  signal?: AbortSignal
}

/** Resolves once the stream is open; then iterate. The gateway or the signal can end it: open it again after the last `seq`. */
export async function openStream(
  connect: Connect,
  credential: Record<string, string>,
  { after, signal }: StreamFrom = {},
): Promise<AsyncIterable<Envelope | ChangeEnvelope>> {
  const headers = { ...credential, ...(after !== undefined && { 'last-event-id': String(after) }) }
  return parseEnvelopes(await openLines(connect, '/v1/events/stream', { headers, signal }))
}

async function* parseEnvelopes(lines: AsyncGenerator<string>): AsyncGenerator<Envelope | ChangeEnvelope> {
  for await (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length))
}

/** `type` is the kind of record, and the field of that name holds it. The last line is `end`, with `counts`. */
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

interface LineRequest {
  headers: Record<string, string>
  /** Ends the answer. */
  signal?: AbortSignal | undefined
}

/** Resolves with the lines when the answer begins. Throws if it is not a success. */
async function openLines(
  { baseUrl, fetch = globalThis.fetch }: Connect,
  path: string,
  { headers, signal }: LineRequest,
): Promise<AsyncGenerator<string>> {
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    method: 'GET',
    headers: { accept: '*/*;profile=contract', ...headers },
    ...(signal && { signal }),
  }).catch((cause) => {
    throw new GatewayUnreachable(`GET ${path} had no response`, { cause, idempotencyKey: undefined })
  })
  if (!response.ok) throw GatewayError.fromResponse(response, await response.text(), undefined)
  return readLines(response.body)
}

async function* readLines(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } finally {
    await reader.cancel()
  }
}
