// How the contract reads the requests that a dialect makes for its callers.

import type { StoredFormat } from '@msgnet/shared/contract/webhook-formats.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import { ContractForm } from './contract-dialect.ts'
import type { DialectStore } from './event-format.ts'

/** Of an instance that is being created. */
interface Creation {
  /** Undefined if the gateway is to make it. */
  token: string | undefined
  /** Statements of the write that creates it. */
  buildWrites(instanceId: string): Promise<Statement[]>
}

/** A webhook that is saved by the dialect has its format. */
export class DialectForm extends ContractForm {
  override readonly ownFormat: StoredFormat
  /** Its programs wait for the choice, and know no server that sends no menus. */
  override readonly sendsMenusAsText = true
  readonly #creation: Creation | undefined

  constructor(ownFormat: StoredFormat, creation?: Creation) {
    super()
    this.ownFormat = ownFormat
    this.#creation = creation
  }

  override createInstanceToken(): string {
    return this.#creation?.token ?? super.createInstanceToken()
  }

  override async buildCreationWrites(_store: DialectStore, instanceId: string): Promise<Statement[]> {
    return (await this.#creation?.buildWrites(instanceId)) ?? []
  }

  /** Callers do not write the bodies of these requests: only the dialect does. */
  override readFormatOptions({ formatOptions }: { formatOptions?: Record<string, unknown> }) {
    return formatOptions
  }
}
