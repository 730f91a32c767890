// The credential of a session: whether there is one, how it ends, and how one of another program becomes it.

import { createRefusal, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import { CredentialUnreadable, type ImportedCredential } from '../driver/driver.ts'
import type { SessionCoverage } from './session-coverage.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StateChange, StoredState } from './stored-state.ts'

const hasCredential = createRefusal(
  'session_conflict',
  'The instance has a credential already, or is being linked: disconnect it first.',
)
const otherAccount = createRefusal(
  'session_conflict',
  'The instance belongs to another account: disconnect it first.',
)

export class SessionCredential {
  readonly #deps: Pick<SessionDeps, 'driver' | 'buildKeys'>
  readonly #state: StoredState
  readonly #coverage: SessionCoverage
  /** The device was unlinked, and its keys may still be stored. */
  isUnlinked = false

  constructor(
    deps: Pick<SessionDeps, 'driver' | 'buildKeys'>,
    state: StoredState,
    coverage: SessionCoverage,
  ) {
    this.#deps = deps
    this.#state = state
    this.#coverage = coverage
  }

  /** False until a pairing is complete, and after an unlinking. */
  async isLinked(): Promise<boolean> {
    if (this.isUnlinked) return false
    try {
      return (await this.#deps.driver.readCredentialState(this.#instance)) === 'linked'
    } catch (error) {
      // A credential that cannot be opened is handled by the attempt.
      if (error instanceof CredentialUnreadable) return true
      throw error
    }
  }

  async delete(): Promise<void> {
    await this.#deps.driver.deleteCredential(this.#instance)
    this.isUnlinked = false
  }

  /** Undefined if one of another program may be stored. `active`: there is a socket, or the next attempt. */
  async findConflict(active: boolean): Promise<RefusedOutcome | undefined> {
    return active || (await this.isLinked()) ? hasCredential : undefined
  }

  /** With the session's mutex held: the keys, the state and its report are one commit. Keys of a pairing that has ended go. */
  async store({ account, keys }: ImportedCredential): Promise<RefusedOutcome | undefined> {
    const { jid } = this.#state.now
    if (jid !== '' && jid !== account.jid) return otherAccount
    const statements = await this.#deps.buildKeys(this.#instance, keys)
    const change = { ...account, wanted: false, history: null, ...this.#coverage.describeNewDevice() }
    await this.#state.change(change, statements)
    this.isUnlinked = false
    return undefined
  }

  get #instance(): string {
    return this.#state.row.instance
  }
}

export const createUnlinkedState = (): StateChange => ({
  status: 'disconnected',
  connected: false,
  loggedIn: false,
  pairing: null,
  wanted: false,
  jid: '',
  lid: '',
  profileName: '',
  lastDisconnect: Date.now(),
  lastDisconnectReason: 'by_request',
  history: null,
})
