// Reads files of either side with a limit, whatever length they announce, and names them by their address.

import { GatewayError } from '@msgnet/client/client.ts'
import { isFinalRefusal } from '../final-refusals.ts'

/** Whether the gateway has refused a file of a message for good. */
export const isFileLost = (error: unknown): boolean =>
  isFinalRefusal(error) || (error instanceof GatewayError && error.body.error_key === 'media_lost')

/** The bytes of a response; undefined if there are more than `maxBytes`: the rest is not read. */
export async function readBytes(response: Response, maxBytes: number): Promise<Buffer | undefined> {
  const isLonger = Number(response.headers.get('content-length') ?? 0) > maxBytes
  const chunks: Uint8Array[] = []
  let size = 0
  if (isLonger) await response.body?.cancel()
  else
    for await (const chunk of response.body ?? []) {
      size += chunk.length
      // Leaving the loop ends the connection.
      if (size > maxBytes) return undefined
      chunks.push(chunk)
    }
  return isLonger ? undefined : Buffer.concat(chunks)
}

/** The last part of the path, as it is written if it is not encoded well. */
export function nameByAddress(url: string): string {
  const part = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(part) || 'file'
  } catch {
    return part
  }
}
