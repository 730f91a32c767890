// An instance's events as they come, for programs that have no public address: Server-Sent Events, read line by line.

import type { ChangeEnvelope } from '../shared/contract/change-envelopes.ts'
import type { Envelope } from '../shared/contract/envelopes.ts'
import type { Connect } from './call.ts'
import { GatewayError, GatewayUnreachable } from './errors.ts'

export interface StreamFrom {
  /** The `seq` of the last event that was dealt with; without it from now on. */
  after?: number
  /** Ends the stream. */
  signal?: AbortSignal
}

/** Resolves once the stream is open; then iterate. It ends when the gateway or the signal ends it: go on after the last `seq`. */
export async function openStream(
  { baseUrl, token, fetch = globalThis.fetch }: Connect & { token: string },
  { after, signal }: StreamFrom = {},
): Promise<AsyncIterable<Envelope | ChangeEnvelope>> {
  const headers = { token, ...(after !== undefined && { 'last-event-id': String(after) }) }
  const path = '/v1/events/stream'
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    ...{ method: 'GET', headers },
    ...(signal && { signal }),
  }).catch((cause) => {
    throw new GatewayUnreachable(`GET ${path} had no answer`, { cause, idempotencyKey: undefined })
  })
  if (!response.ok) throw GatewayError.of(response, await response.text(), undefined)
  return envelopesIn(response.body)
}

async function* envelopesIn(
  body: ReadableStream<Uint8Array> | null,
): AsyncGenerator<Envelope | ChangeEnvelope> {
  if (!body) return
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + decoder.decode(part.value, { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length))
    }
  } finally {
    await reader.cancel()
  }
}
