// Reads an instance's events as Server-Sent Events, for programs without a public address.

import type { ChangeEnvelope } from '../shared/contract/change-envelopes.ts'
import type { Envelope } from '../shared/contract/event-envelopes.ts'
import type { Connect } from './request-sender.ts'
import { openLines } from './response-lines.ts'

export interface StreamFrom {
  /** The `seq` of the last event that was handled; without it only new events come. */
  after?: number
  /** Ends the stream. */
  signal?: AbortSignal
}

/** Resolves once the stream is open; then iterate. The gateway or the signal can end it: open it again after the last `seq`. */
export async function openStream(
  connect: Connect & { token: string },
  { after, signal }: StreamFrom = {},
): Promise<AsyncIterable<Envelope | ChangeEnvelope>> {
  const headers = { token: connect.token, ...(after !== undefined && { 'last-event-id': String(after) }) }
  return parseEnvelopes(await openLines(connect, '/v1/events/stream', { headers, signal }))
}

async function* parseEnvelopes(lines: AsyncGenerator<string>): AsyncGenerator<Envelope | ChangeEnvelope> {
  for await (const line of lines) if (line.startsWith('data:')) yield JSON.parse(line.slice('data:'.length))
}
