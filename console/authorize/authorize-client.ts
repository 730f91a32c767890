// Apart from authorize-page.tsx, because it draws nothing: the requests of the page, with the token of the person in a header.

import { createRequestSender, type SendRequest } from '@msgnet/client/request-sender.ts'
import type {
  AuthorizationConsent,
  AuthorizationDetails,
  AuthorizationGranted,
} from '@msgnet/shared/contract/authorization-requests.ts'

export class AuthorizeClient {
  readonly #call: SendRequest

  constructor(headers: { admintoken: string } | { token: string }) {
    this.#call = createRequestSender({ baseUrl: location.origin, repeats: false }, headers)
  }

  readDetails = (): Promise<AuthorizationDetails> =>
    this.#call('POST', '/oauth/authorize/details', { body: { query: location.search } })

  allow = (consent: Omit<AuthorizationConsent, 'query'>): Promise<AuthorizationGranted> =>
    this.#call('POST', '/oauth/authorize/consent', { body: { ...consent, query: location.search } })
}
