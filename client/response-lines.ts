// Reads an answer line by line while it arrives.

import { GatewayError, GatewayUnreachable } from './errors.ts'
import type { Connect } from './request-sender.ts'

export interface LineRequest {
  headers: Record<string, string>
  /** Ends the answer. */
  signal?: AbortSignal | undefined
}

/** Resolves with the lines when the answer begins. Throws if it is not a success. */
export async function openLines(
  { baseUrl, fetch = globalThis.fetch }: Connect,
  path: string,
  { headers, signal }: LineRequest,
): Promise<AsyncGenerator<string>> {
  const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
    method: 'GET',
    headers: { accept: '*/*;profile=contract', ...headers },
    ...(signal && { signal }),
  }).catch((cause) => {
    throw new GatewayUnreachable(`GET ${path} had no answer`, { cause, idempotencyKey: undefined })
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
