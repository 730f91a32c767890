// The session of one instance: connects, restarts, disconnects and deletes it.

import type { DisconnectReason } from '../../shared/contract/instance.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { refused } from '../../shared/wire/outcome.ts'
import type { SessionState } from '../../shared/wire/session-state.ts'
import { type Connection, CredentialUnreadable } from '../driver/driver.ts'
import { type Mutex, makeMutex } from '../mutex.ts'
import type { FencedStore } from '../store/fencing.ts'
import { forgetInstance, type SessionRow } from '../store/sessions.ts'
import { type Calls, makeCalls } from './calls.ts'
import type { SessionDeps } from './deps.ts'
import { type Groups, makeGroups } from './groups.ts'
import { type Intake, makeIntake } from './intake.ts'
import { KeptState } from './kept-state.ts'
import { type IsNews, waitForNews } from './news.ts'
import { makeProxySetting, type ProxySetting } from './proxy.ts'
import { makeReconnect, type Reconnect } from './reconnect.ts'
import { makeSettings, type Settings } from './settings.ts'
import { afterUnlinking, type Unlinking, unlink } from './unlinking.ts'

export const nothingLinked = refused('not_connected', 'No account is linked: connect links one.')

export class Session {
  readonly instance: string
  readonly state: KeptState
  readonly intake: Intake
  readonly groups: Groups
  readonly calls: Calls
  readonly settings: Settings
  readonly #deps: SessionDeps
  /** Held while the socket is opened or closed, so that a connect, a restart and a start-up at the same time open only one. */
  readonly #mutex: Mutex = makeMutex()
  readonly #reconnect: Reconnect
  readonly #proxy: ProxySetting
  /** True from `resume` until `suspend` or `stop`: only then it may have a socket. */
  #up = false
  /** The device was unlinked, and its keys may still be here. */
  #dead = false

  constructor(deps: SessionDeps, row: SessionRow) {
    this.instance = row.instance
    this.#deps = deps
    this.state = new KeptState(deps.store, deps.outbox, row)
    this.intake = makeIntake(deps, this.state, () => this.groups)
    this.groups = makeGroups(deps, this.state, this.intake)
    this.calls = makeCalls(deps.store, row.instance, row.kind, this.intake)
    this.settings = makeSettings(deps, this.state, this.intake)
    this.#proxy = makeProxySetting(deps, this.state)
    this.#reconnect = makeReconnect({
      ...{ instance: row.instance, driver: deps.driver, state: this.state, proxy: this.#proxy },
      ...{ intake: this.intake, groups: this.groups, calls: this.calls, settings: this.settings },
      ...{ clock: deps.clock, lease: deps.lease, mutex: this.#mutex },
      forgetKeys: () => {
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
    return this.#reconnect.underway || this.state.now.status !== 'disconnected'
  }

  /** Answers with the first QR, code, login or refusal; after `waitMs` with the current state. */
  async connect(phone: string | undefined, proxy: string, waitMs: number): Promise<Outcome<SessionState>> {
    await this.#mutex(async () => {
      // The keys of a device that is no longer linked, if the store failed to forget them before.
      if (this.#dead) await this.#forgetKeys()
      await this.#proxy.keep(proxy)
      const { jid, loggedIn } = this.state.now
      if (loggedIn) return
      // The new pairing replaces one of another kind or for another phone.
      const pairing = this.#reconnect.underway && jid === ''
      if (pairing && this.#reconnect.phone !== phone) await this.#reconnect.end()
      await this.#reconnect.begin(phone)
    })
    return this.news(waitMs)
  }

  /** Whether there is a credential to connect with: false until a pairing is complete, and after an unlinking. */
  async linked(): Promise<boolean> {
    if (this.#dead) return false
    try {
      return (await this.#deps.driver.credential(this.instance)) === 'linked'
    } catch (thrown) {
      // A credential that cannot be opened is handled by the attempt.
      if (thrown instanceof CredentialUnreadable) return true
      throw thrown
    }
  }

  /** Opens a new socket with the same credential; refused without one, also during a pairing. */
  async restart(proxy: string, waitMs: number): Promise<Outcome<SessionState>> {
    const begun = await this.#mutex(async () => {
      if (!(await this.linked())) return false
      await this.#proxy.keep(proxy)
      await this.#reconnect.end()
      await this.#reconnect.begin()
      return true
    })
    return begun ? this.news(waitMs) : nothingLinked
  }

  /** Stores the proxy for the next connection. */
  keepProxy(proxy: string): Promise<void> {
    return this.#mutex(() => this.#proxy.keep(proxy))
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
      const stored = await this.#deps.driver.credential(this.instance).catch(() => 'linked')
      if (stored === 'linked') return this.#reconnect.begin()
      // A pairing ends with its process.
      return this.#endWith('pairing_expired')
    })
  }

  /** Unlinks the device and forgets its keys; true when the network has confirmed it. */
  disconnect(asking: Unlinking): Promise<boolean> {
    return this.#mutex(async () => {
      const unlinked = await this.#unlink(asking)
      if (unlinked) this.#dead = true
      await this.#forgetKeys().catch((thrown) => {
        // The network has confirmed it, so it is done even if our own store fails.
        if (!unlinked) throw thrown
        this.#deps.log.error({ instance: this.instance, err: thrown }, 'keys of no more use are still there')
      })
      const { status, jid } = this.state.now
      if (status !== 'disconnected' || jid !== '') {
        const change = afterUnlinking()
        await (unlinked ? this.state.changeAnyway(change) : this.state.change(change))
      }
      return unlinked
    })
  }

  /** Unlinks the device, and forgets everything that is stored of the instance. */
  delete(asking: Unlinking): Promise<boolean> {
    return this.#mutex(async () => {
      const unlinked = await this.#unlink(asking)
      await this.#forget().catch((thrown) => {
        if (!unlinked) throw thrown
        // The next start finds it again, and the edge answers that it was deleted.
        this.#deps.log.error({ instance: this.instance, err: thrown }, 'a deleted instance is still stored')
      })
      return unlinked
    })
  }

  /** For an instance that the edge shows as connected and that the store does not have: the store was lost. */
  foundNothing(): Promise<void> {
    return this.#mutex(() => this.#endWith('bad_session'))
  }

  /** Closes the session without logging out, and without a write or a report: this host does not hold it now. */
  suspend(): Promise<void> {
    this.#up = false
    // At once, without the mutex: its holder may be about to open a socket.
    const closed = this.#reconnect.end()
    return this.#mutex(async () => {
      await closed
      await this.#reconnect.end()
      await this.intake.end()
    })
  }

  /** Closes the session and forgets everything stored of it; with `events`, all but the events that the edge has not confirmed. */
  release(but?: 'events'): Promise<void> {
    return this.#mutex(async () => {
      await this.#reconnect.end()
      await this.#forget(but)
    })
  }

  /** Closes the session without logging out; the next holder brings it back. */
  stop(): Promise<void> {
    return this.#mutex(async () => {
      const { active } = this
      const wasUp = this.#up
      this.#up = false
      await this.#reconnect.end()
      await this.intake.end()
      if (!active || !wasUp) return
      const closed = { connected: false, loggedIn: false, pairing: null }
      await this.state.change({ status: 'connecting', ...closed, lastDisconnect: Date.now() })
    })
  }

  #endWith(lastDisconnectReason: DisconnectReason): Promise<void> {
    const ended = { status: 'disconnected', lastDisconnectReason, wanted: false } as const
    return this.state.change({ ...ended, lastDisconnect: Date.now() })
  }

  async #unlink(asking: Unlinking): Promise<boolean> {
    const unlinked = await unlink(this.network, asking)
    await this.#reconnect.end()
    return unlinked
  }

  async #forgetKeys(): Promise<void> {
    await this.#deps.driver.forget(this.instance)
    await this.groups.forgetAll()
    await this.settings.forgetAll()
    this.#dead = false
  }

  async #forget(but?: 'events'): Promise<void> {
    await this.intake.end()
    if (but) await this.intake.reportPostponed()
    await this.#deps.driver.forget(this.instance)
    await this.store.commitFor(this.instance, forgetInstance(this.store, this.instance, but))
  }

  /** The first state with news; after `waitMs` the current one. */
  news(waitMs: number, isNews: IsNews = (now) => now.pairing !== null): Promise<Outcome<SessionState>> {
    return waitForNews(this.state, { waitMs, isNews, findObstacle: () => this.#reconnect.obstacle })
  }
}
