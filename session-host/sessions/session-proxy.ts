// The proxy that a session connects through, stored sealed beside its state so that a restart uses it too.

import { SealError } from '../../shared/seal.ts'
import { CredentialUnreadable } from '../driver/driver.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StoredState } from './stored-state.ts'

export interface ProxySetting {
  /** The URL; empty for none. Throws CredentialUnreadable if it cannot be opened: an instance with a proxy never connects without it. */
  readUrl(): Promise<string>
  storeUrl(url: string): Promise<void>
}

export function createProxySetting(
  { sealer }: Pick<SessionDeps, 'sealer'>,
  state: StoredState,
): ProxySetting {
  const context = `proxy:${state.row.instance}`

  async function readUrl(): Promise<string> {
    const { proxy } = state.row
    if (!proxy) return ''
    try {
      return Buffer.from(await sealer.open(new Uint8Array(proxy), context)).toString()
    } catch (error) {
      if (error instanceof SealError)
        throw new CredentialUnreadable('the proxy does not open', { cause: error })
      throw error
    }
  }

  return {
    readUrl,
    async storeUrl(url) {
      if (url === '' && !state.row.proxy) return
      await state.storeProxy(url === '' ? null : await sealer.seal(new Uint8Array(Buffer.from(url)), context))
    },
  }
}
