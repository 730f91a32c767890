// Ends a request by HTTP whose host falls silent. A host is not silent while its response waits for a slow reader.

import type { ClientRequest, IncomingMessage } from 'node:http'

/** `request`: made with `timeout: idleMs`, so that its connecting is limited too. */
export function endWhenSilent(request: ClientRequest, idleMs: number, message: string): void {
  let response: IncomingMessage | undefined
  const endUnlessUnread = () => {
    // The socket is not read either until its reader has taken these bytes.
    if (response?.readableLength) response.setTimeout(idleMs)
    else request.destroy(new Error(message))
  }
  request.once('response', (incoming) => {
    response = incoming
    // That of the request comes once only.
    incoming.on('timeout', endUnlessUnread)
  })
  request.on('timeout', endUnlessUnread)
}
