// How the contract reads the requests that this dialect makes.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import { ContractForm } from '../dialect/contract-dialect.ts'

export class EvolutionForm extends ContractForm {
  override readonly ownFormat: StoredFormat = 'evolution'
  readonly #token: string | undefined

  /** `token`: that of an instance which is being created, if its caller has chosen one. */
  constructor(token?: string) {
    super()
    this.#token = token
  }

  override createInstanceToken(): string {
    return this.#token ?? super.createInstanceToken()
  }

  /** Only this dialect writes them into a body. */
  override readFormatOptions({ formatOptions }: { formatOptions?: Record<string, unknown> }) {
    return formatOptions
  }
}
