// The session of one instance: connects, restarts, disconnects and deletes it.

import type { DisconnectReason } from '../../shared/contract/instance-requests.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { createRefusal } from '../../shared/wire/outcome.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import { type Connection, CredentialUnreadable } from '../driver/driver.ts'
import { createMutex, type Mutex } from '../mutex.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { deleteInstance, type SessionRow } from '../store/session-store.ts'
import { createIntake, type Intake } from './intake.ts'
import { createReconnect, type Reconnect } from './reconnect.ts'
import { createSessionCalls, type SessionCalls } from './session-calls.ts'
import type { SessionDeps } from './session-deps.ts'
import { createGroups, type Groups } from './session-groups.ts'
import { createProxySetting, type ProxySetting } from './session-proxy.ts'
import { createSettings, type Settings } from './session-settings.ts'
import { StoredState } from './stored-state.ts'
import { createUnlinkedState, type UnlinkRequest, unlinkDevice } from './unlink-device.ts'
import { type IsNews, waitForNews } from './wait-for-news.ts'

export const notLinked = createRefusal('not_connected', 'No account is linked: connect links one.')

export class Session {
  readonly instance: string
  readonly state: StoredState
  readonly intake: Intake
  readonly groups: Groups
  readonly calls: SessionCalls
  readonly settings: Settings
  readonly #deps: SessionDeps
  /** Held while the socket is opened or closed, so that a connect, a restart and a start-up at the same time open only one. */
  readonly #mutex: Mutex = createMutex()
  readonly #reconnect: Reconnect
  readonly #proxy: ProxySetting
  /** True from `resume` until `suspend` or `stop`: only then it may have a socket. */
  #up = false
  /** The device was unlinked, and its keys may still be here. */
  #dead = false

  constructor(deps: SessionDeps, row: SessionRow) {
    this.instance = row.instance
    this.#deps = deps
    this.state = new StoredState(deps.store, deps.outbox, row)
    this.intake = createIntake(deps, this.state, () => this.groups)
    this.groups = createGroups(deps, this.state, this.intake)
    this.calls = createSessionCalls(deps.store, row.instance, row.kind, this.intake)
    this.settings = createSettings(deps, this.state, this.intake)
    this.#proxy = createProxySetting(deps, this.state)
    this.#reconnect = createReconnect({
      instance: row.instance,
      driver: deps.driver,
      state: this.state,
      proxy: this.#proxy,
      intake: this.intake,
      groups: this.groups,
      calls: this.calls,
      settings: this.settings,
      clock: deps.clock,
      lease: deps.lease,
      mutex: this.#mutex,
      deleteKeys: () => {
        this.#dead = true
        return this.#forgetKeys()
      },
      metrics: deps.metrics,
      log: deps.log.child({ instance: row.instance }),
    })
  }

  get store(): FencedStore {
    return this.#deps.store
  }

  /** Undefined while not logged in. */
  get network(): Connection | undefined {
    return this.state.now.loggedIn ? this.#reconnect.connection : undefined
  }

  /** The socket of a pairing that waits for a passkey. */
  get passkeyNetwork(): Connection | undefined {
    return this.state.now.pairing?.passkey && this.#reconnect.connection
  }

  /** It has a socket or is about to: it takes a slot. */
  get active(): boolean {
    return this.#reconnect.active || this.state.now.status !== 'disconnected'
  }

  /** Answers with the first QR, code, login or refusal; after `computeWaitMs` with the current state. */
  async connect(phone: string | undefined, proxy: string, waitMs: number): Promise<Outcome<SessionState>> {
    await this.#mutex(async () => {
      // The keys of a device that is no longer linked, if the store failed to forget them before.
      if (this.#dead) await this.#forgetKeys()
      await this.#proxy.storeUrl(proxy)
      const { jid, loggedIn } = this.state.now
      if (loggedIn) return
      // The new pairing replaces one of another kind or for another phone.
      const pairing = this.#reconnect.active && jid === ''
      if (pairing && this.#reconnect.phone !== phone) await this.#reconnect.stop()
      await this.#reconnect.connect(phone)
    })
    return this.waitForState(waitMs)
  }

  /** Whether there is a credential to connect with: false until a pairing is complete, and after an unlinking. */
  async isLinked(): Promise<boolean> {
    if (this.#dead) return false
    try {
      return (await this.#deps.driver.readCredentialState(this.instance)) === 'linked'
    } catch (error) {
      // A credential that cannot be opened is handled by the attempt.
      if (error instanceof CredentialUnreadable) return true
      throw error
    }
  }

  /** Opens a new socket with the same credential; refused without one, also during a pairing. */
  async restart(proxy: string, waitMs: number): Promise<Outcome<SessionState>> {
    const begun = await this.#mutex(async () => {
      if (!(await this.isLinked())) return false
      await this.#proxy.storeUrl(proxy)
      await this.#reconnect.stop()
      await this.#reconnect.connect()
      return true
    })
    return begun ? this.waitForState(waitMs) : notLinked
  }

  /** Stores the proxy for the next connection. */
  storeProxy(proxy: string): Promise<void> {
    return this.#mutex(() => this.#proxy.storeUrl(proxy))
  }

  /** Called when this host holds the instance: reconnects it if it is wanted. */
  resume(): Promise<void> {
    return this.#mutex(async () => {
      if (this.#up) return
      this.#up = true
      this.intake.start()
      const { rev, jid, wanted } = this.state.row
      if (rev === 0 && jid !== '') return this.#endWith('bad_session')
      if (!wanted) return
      const stored = await this.#deps.driver.readCredentialState(this.instance).catch(() => 'linked')
      if (stored === 'linked') return this.#reconnect.connect()
      // A pairing ends with its process.
      return this.#endWith('pairing_expired')
    })
  }

  /** Unlinks the device and forgets its keys; true when the network has confirmed it. */
  disconnect(request: UnlinkRequest): Promise<boolean> {
    return this.#mutex(async () => {
      const unlinked = await this.#unlink(request)
      if (unlinked) this.#dead = true
      await this.#forgetKeys().catch((error) => {
        // The network has confirmed it, so it is done even if our own store fails.
        if (!unlinked) throw error
        this.#deps.log.error({ instance: this.instance, err: error }, 'keys of no more use are still there')
      })
      const { status, jid } = this.state.now
      if (status !== 'disconnected' || jid !== '') {
        const change = createUnlinkedState()
        await (unlinked ? this.state.forceChange(change) : this.state.change(change))
      }
      return unlinked
    })
  }

  /** Unlinks the device, and forgets everything that is stored of the instance. */
  delete(request: UnlinkRequest): Promise<boolean> {
    return this.#mutex(async () => {
      const unlinked = await this.#unlink(request)
      await this.#forget().catch((error) => {
        if (!unlinked) throw error
        // The next start finds it again, and the edge answers that it was deleted.
        this.#deps.log.error({ instance: this.instance, err: error }, 'a deleted instance is still stored')
      })
      return unlinked
    })
  }

  /** For an instance that the edge shows as connected and that the store does not have: the store was lost. */
  reportMissingStore(): Promise<void> {
    return this.#mutex(() => this.#endWith('bad_session'))
  }

  /** Closes the session without logging out, and without a write or a report: this host does not hold it now. */
  suspend(): Promise<void> {
    this.#up = false
    // At once, without the mutex: its holder may be about to open a socket.
    const closed = this.#reconnect.stop()
    return this.#mutex(async () => {
      await closed
      await this.#reconnect.stop()
      await this.intake.stop()
    })
  }

  /** Closes the session and forgets everything stored of it; with `events`, all but the events that the edge has not confirmed. */
  release(keep?: 'events'): Promise<void> {
    return this.#mutex(async () => {
      await this.#reconnect.stop()
      await this.#forget(keep)
    })
  }

  /** Closes the session without logging out; the next holder brings it back. */
  stop(): Promise<void> {
    return this.#mutex(async () => {
      const { active } = this
      const wasUp = this.#up
      this.#up = false
      await this.#reconnect.stop()
      await this.intake.stop()
      if (!active || !wasUp) return
      const closed = { connected: false, loggedIn: false, pairing: null }
      await this.state.change({ status: 'connecting', ...closed, lastDisconnect: Date.now() })
    })
  }

  #endWith(lastDisconnectReason: DisconnectReason): Promise<void> {
    const ended = { status: 'disconnected', lastDisconnectReason, wanted: false } as const
    return this.state.change({ ...ended, lastDisconnect: Date.now() })
  }

  async #unlink(request: UnlinkRequest): Promise<boolean> {
    const unlinked = await unlinkDevice(this.network, request)
    await this.#reconnect.stop()
    return unlinked
  }

  async #forgetKeys(): Promise<void> {
    await this.#deps.driver.deleteCredential(this.instance)
    await this.groups.deleteAll()
    await this.settings.deleteAll()
    this.#dead = false
  }

  async #forget(keep?: 'events'): Promise<void> {
    await this.intake.stop()
    if (keep) await this.intake.reportPostponed()
    await this.#deps.driver.deleteCredential(this.instance)
    await this.store.commitFor(this.instance, deleteInstance(this.store, this.instance, keep))
  }

  /** The first state with news; after `computeWaitMs` the current one. */
  waitForState(
    waitMs: number,
    isNews: IsNews = (now) => now.pairing !== null,
  ): Promise<Outcome<SessionState>> {
    return waitForNews(this.state, { waitMs, isNews, findObstacle: () => this.#reconnect.obstacle })
  }
}
