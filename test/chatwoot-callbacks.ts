// The calls of the stand-in of Chatwoot: signed as since 4.13, with its time limit.

import { createHmac, randomUUID } from 'node:crypto'

export const CALLBACK_SECRET = 'the-secret-of-the-inbox'
/** Chatwoot waits so long for its callback, and never calls again. */
const CALLBACK_TIMEOUT_MS = 5000

/** Returns the status, or why there was none. */
export async function postCallback(url: string, body: string, isSigning: boolean): Promise<string> {
  const timestamp = String(Math.floor(Date.now() / 1000))
  const mac = createHmac('sha256', CALLBACK_SECRET).update(`${timestamp}.${body}`).digest('hex')
  const signed = {
    'x-chatwoot-delivery': randomUUID(),
    'x-chatwoot-timestamp': timestamp,
    'x-chatwoot-signature': `sha256=${mac}`,
  }
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...(isSigning && signed) },
      body,
      signal: AbortSignal.timeout(CALLBACK_TIMEOUT_MS),
    })
    return String(response.status)
  } catch (error) {
    return String(error)
  }
}
