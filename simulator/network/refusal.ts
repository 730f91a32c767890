// A refused request, with the network's code and text.
import { type Stanza, stanza } from '../codec/stanza.ts'

const WORDS: Record<number, string> = {
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
    super(WORDS[code] ?? 'refused')
    this.code = code
  }
}

export function errorNode(code: number): Stanza {
  return stanza('error', { code: String(code), text: WORDS[code] ?? 'refused' })
}
