// Apart from link-page.tsx, because it draws nothing: the requests of the page behind a one-time link, with the secret in a header.

import type { SendRequest } from '@msgnet/client/request-sender.ts'
import { createRequestSender } from '@msgnet/client/request-sender.ts'
import type { PasskeyAssertion } from '@msgnet/shared/contract/passkey-requests.ts'
import type { LinkState } from '@msgnet/shared/contract/responses/link-responses.ts'

export class LinkClient {
  readonly #call: SendRequest

  constructor(secret: string) {
    this.#call = createRequestSender(
      { baseUrl: location.origin, repeats: false },
      { authorization: `Bearer ${secret}` },
    )
  }

  readState = (): Promise<LinkState> => this.#call('POST', '/link/state')

  /** With a phone number for a pairing code, without one for a QR code. */
  connect = (request: { phone?: string }): Promise<LinkState> =>
    this.#call('POST', '/link/connect', { body: request })

  sendPasskey = (assertion: PasskeyAssertion): Promise<LinkState> =>
    this.#call('POST', '/link/passkey', { body: { assertion } })
}
