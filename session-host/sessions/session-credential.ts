// The credential of a session: whether there is one, how it ends, and how one of another program becomes it.

import { createRefusal, type Outcome, type RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import { CredentialUnreadable, type Driver, type ImportedCredential } from '../driver/driver.ts'
import { type Fence, FencedError } from '../store/fenced-store.ts'
import type { SessionCoverage } from './session-coverage.ts'
import type { SessionDeps } from './session-deps.ts'
import type { StateChange, StoredState } from './stored-state.ts'

const hasCredential = createRefusal(
  'session_conflict',
  'The instance has a credential already, or is being linked: disconnect it first.',
)
const isImporting = createRefusal(
  'session_conflict',
  'A credential is being imported: wait until that has ended, or disconnect the instance.',
)
const wasEnded = createRefusal(
  'session_conflict',
  'The instance was disconnected during the import: nothing is stored.',
)
const otherAccount = createRefusal(
  'session_conflict',
  'The instance belongs to another account: disconnect it first.',
)

/** `signal` is aborted when it is over for another reason. */
export type ImportWork<Result> = (
  signal: AbortSignal,
  beginImport: Driver['beginImport'],
) => Promise<Outcome<Result>>

export class SessionCredential {
  readonly #deps: Pick<SessionDeps, 'driver' | 'replaceKeys' | 'store'>
  readonly #state: StoredState
  readonly #coverage: SessionCoverage
  /** The device was unlinked, and its keys may still be stored. */
  isUnlinked = false
  #importing: AbortController | undefined

  constructor(
    deps: Pick<SessionDeps, 'driver' | 'replaceKeys' | 'store'>,
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

  /** While one of another program arrives or is stored: nothing may connect. */
  get importConflict(): RefusedOutcome | undefined {
    return this.#importing && isImporting
  }

  /** One at a time. `signal` is aborted by `endImport`. */
  async runImport<Result>(isActive: () => boolean, work: ImportWork<Result>): Promise<Outcome<Result>> {
    if (this.#importing) return isImporting
    const importing = new AbortController()
    this.#importing = importing
    try {
      const refused = await this.findConflict(isActive())
      if (refused) return refused
      const outcome = await work(importing.signal, (account) => this.#deps.driver.beginImport(account))
      const { aborted, reason } = importing.signal
      if (!aborted || outcome.kind === 'done') return outcome
      if (reason instanceof FencedError) throw reason
      return wasEnded
    } finally {
      this.#importing = undefined
    }
  }

  /** For a request that comes later, and counts. `fence`: why the instance is about to be no longer here. */
  endImport(fence?: Fence): void {
    this.#importing?.abort(fence && new FencedError(this.#instance, fence))
  }

  /** Undefined if one of another program may be stored. `active`: there is a socket, or the next attempt. */
  async findConflict(active: boolean): Promise<RefusedOutcome | undefined> {
    return active || (await this.isLinked()) ? hasCredential : undefined
  }

  /** With the session's mutex held. `creds`, the state and its report are one commit, behind all other keys. Keys of a pairing that has ended go. */
  async store(
    { account, keys }: ImportedCredential,
    signal: AbortSignal,
  ): Promise<RefusedOutcome | undefined> {
    const { jid } = this.#state.now
    if (jid !== '' && jid !== account.jid) return otherAccount
    const replacement = this.#deps.replaceKeys(this.#instance, keys)
    // If it fails, what is stored by then goes, now or before the next connection.
    this.isUnlinked = true
    try {
      await replacement.storeKeys(this.#deps.store, signal)
      const change = { ...account, wanted: false, history: null, ...this.#coverage.describeNewDevice() }
      await this.#state.change(change, await replacement.end())
    } catch (error) {
      await this.delete()
      if (signal.aborted) return wasEnded
      throw error
    }
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
