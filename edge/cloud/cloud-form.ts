// Apart from cloud-dialect.ts, because the routes of webhooks make one with the options of theirs: how the contract reads requests of this dialect.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import { ContractForm } from '../dialect/contract-dialect.ts'
import type { CloudOptions } from './cloud-events.ts'

export class CloudForm extends ContractForm {
  override readonly ownFormat: StoredFormat = 'cloud'
  override readonly sendsMenusAsText = true
  override readonly addsUrlsOnce = true
  readonly #options: CloudOptions | undefined

  /** `options`: of a webhook that is saved; undefined leaves what it has. */
  constructor(options?: CloudOptions) {
    super()
    this.#options = options
  }

  override readFormatOptions(): Record<string, unknown> | undefined {
    return this.#options && { ...this.#options }
  }
}
