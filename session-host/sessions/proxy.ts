// The proxy that a session connects through, stored sealed beside its state so that a restart uses it too.

import { SealError } from '../../shared/seal.ts'
import { CredentialUnreadable } from '../driver/driver.ts'
import type { SessionDeps } from './deps.ts'
import type { KeptState } from './kept-state.ts'

export interface ProxySetting {
  /** The URL; empty for none. Throws CredentialUnreadable if it cannot be opened: an instance with a proxy never connects without it. */
  now(): Promise<string>
  keep(url: string): Promise<void>
}

export function makeProxySetting({ sealer }: Pick<SessionDeps, 'sealer'>, state: KeptState): ProxySetting {
  const context = `proxy:${state.row.instance}`

  async function now(): Promise<string> {
    const { proxy } = state.row
    if (!proxy) return ''
    try {
      return Buffer.from(await sealer.open(new Uint8Array(proxy), context)).toString()
    } catch (thrown) {
      if (thrown instanceof SealError)
        throw new CredentialUnreadable('the proxy does not open', { cause: thrown })
      throw thrown
    }
  }

  return {
    now,
    async keep(url) {
      if (url === '' && !state.row.proxy) return
      await state.keepProxy(url === '' ? null : await sealer.seal(new Uint8Array(Buffer.from(url)), context))
    },
  }
}
