// A refused request, with the network's code and text.
import { buildStanza, type Stanza } from '../codec/stanza.ts'

const ERROR_TEXTS: Record<number, string> = {
  400: 'bad-request',
  401: 'not-authorized',
  403: 'forbidden',
  404: 'item-not-found',
  406: 'not-acceptable',
  409: 'conflict',
  410: 'gone',
  419: 'resource-limit',
  429: 'rate-overlimit',
  500: 'internal-server-error',
  501: 'feature-not-implemented',
}

export class Refusal extends Error {
  override name = 'Refusal'
  readonly code: number

  constructor(code: number) {
    super(ERROR_TEXTS[code] ?? 'refused')
    this.code = code
  }
}

export function buildErrorNode(code: number): Stanza {
  return buildStanza('error', { code: String(code), text: ERROR_TEXTS[code] ?? 'refused' })
}
