// The form of the contract, which changes nothing: of requests and responses, and of events.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { createToken } from '@msgnet/shared/random-tokens.ts'
import type { DocumentPage, RequestContext } from '../runtime/runtime.ts'
import type { RequestForm, Serve } from './dialect.ts'
import { formatEnvelope } from './envelope.ts'
import type { DialectStore, EventFormat } from './event-format.ts'

export const contractFormat: EventFormat = {
  name: 'contract',
  showsCodes: false,
  showsResults: false,
  toParts: (event, { instanceName, receiver: { url = '' } }) => [
    { id: event.id, url, createBody: () => formatEnvelope(event, instanceName) },
  ],
}

export class ContractForm implements RequestForm {
  readonly format: EventFormat = contractFormat
  readonly ownFormat: StoredFormat = ''
  readonly storesTokens: boolean = false
  readonly addsUrlsOnce: boolean = false
  readonly allowsUrlOptions: boolean = false
  readonly sendsMenusAsText: boolean = false
  readonly documentPage: DocumentPage = 'openapi.json'

  serveRequest(
    request: Request,
    _context: RequestContext,
    serveContract: Serve,
  ): Response | Promise<Response> {
    return serveContract(request)
  }

  requestsContract(_headers: Headers): boolean {
    return true
  }

  convertBody(_path: string, body: unknown): unknown {
    return body
  }

  convertToolResult(value: unknown): unknown {
    return value
  }

  readFormatOptions(_body: object): Record<string, unknown> | undefined {
    return undefined
  }

  createInstanceToken(): string {
    return createToken('instance')
  }

  async buildTokenWrites(_store: DialectStore, _instanceId: string, _token: string): Promise<Statement[]> {
    return []
  }

  async buildCreationWrites(_store: DialectStore, _instanceId: string, _body: object): Promise<Statement[]> {
    return []
  }
}
