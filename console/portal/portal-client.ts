// Apart from portal-page.tsx, because it draws nothing: the requests of the page with the webhooks of one instance, with the secret in a header.

import { createRequestSender, type SendRequest } from '@msgnet/client/request-sender.ts'
import type { DeliveryFailure } from '@msgnet/shared/contract/responses/event-responses.ts'
import type { PortalState } from '@msgnet/shared/contract/responses/link-responses.ts'
import type { WebhookTested } from '@msgnet/shared/contract/responses/webhook-responses.ts'

export class PortalClient {
  readonly #call: SendRequest

  constructor(secret: string) {
    this.#call = createRequestSender(
      { baseUrl: location.origin, repeats: false },
      { authorization: `Bearer ${secret}` },
    )
  }

  readState = (): Promise<PortalState> => this.#call('POST', '/portal/state')

  listFailures = (webhookId: string): Promise<{ errors: DeliveryFailure[] }> =>
    this.#call('POST', '/portal/failures', { body: { webhookId } })

  sendTest = (webhookId: string): Promise<WebhookTested> =>
    this.#call('POST', '/portal/test', { body: { webhookId } })

  /** Without ids, of all that are dead there. */
  replay = (webhookId: string, ids?: string[]): Promise<{ queued: number }> =>
    this.#call('POST', '/portal/replay', { body: { webhookId, ...(ids && { ids }) } })
}
