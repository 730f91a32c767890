// The proxy that a session connects through, stored sealed with its state so that a restart uses it too.

import { SealError, type Sealer } from '@msgnet/shared/seal.ts'
import { CredentialUnreadable } from '../driver/driver.ts'
import type { StoredState } from './stored-state.ts'

export class ProxySetting {
  readonly #sealer: Sealer
  readonly #state: StoredState

  constructor(sealer: Sealer, state: StoredState) {
    this.#sealer = sealer
    this.#state = state
  }

  get #context(): string {
    return `proxy:${this.#state.row.instance}`
  }

  /** The URL; empty for none. Throws CredentialUnreadable if it cannot be opened: an instance with a proxy never connects without it. */
  async readUrl(): Promise<string> {
    const { proxy } = this.#state.row
    if (!proxy) return ''
    try {
      return Buffer.from(await this.#sealer.open(new Uint8Array(proxy), this.#context)).toString()
    } catch (error) {
      if (error instanceof SealError)
        throw new CredentialUnreadable('the proxy does not open', { cause: error })
      throw error
    }
  }

  async storeUrl(url: string): Promise<void> {
    if (url === '' && !this.#state.row.proxy) return
    const bytes = new Uint8Array(Buffer.from(url))
    await this.#state.storeProxy(url === '' ? null : await this.#sealer.seal(bytes, this.#context))
  }
}
