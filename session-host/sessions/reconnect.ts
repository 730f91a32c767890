// Opens a session's sockets, one at a time, and does what reconnect-policy.ts decides when one ends.

import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { RefusedOutcome } from '@msgnet/shared/wire/outcome.ts'
import {
  type Account,
  type Closing,
  type Connection,
  type ConnectionEvents,
  CredentialUnreadable,
  type Driver,
  type NewsEvents,
  type UnknownWord,
} from '../driver/driver.ts'
import type { Metrics } from '../metrics/host-metrics.ts'
import { describeError, type Log } from '../process/host-log.ts'
import type { Lease } from '../process/lease.ts'
import type { Cancel, Clock } from '../process/machine-clock.ts'
import type { Mutex } from '../process/mutex.ts'
import { findStoreFault } from '../process/store-fault.ts'
import { FencedError } from '../store/fenced-store.ts'
import { AttemptHistory } from './attempt-history.ts'
import { createPairingEvents } from './pairing-events.ts'
import {
  type AttemptEnding,
  computeBackoffMs,
  type Decision,
  decideNext,
  findObstacle,
} from './reconnect-policy.ts'
import type { SessionCoverage } from './session-coverage.ts'
import type { ProxySetting } from './session-proxy.ts'
import type { StateChange, StoredState } from './stored-state.ts'

/** A login that lasted this long resets the count of failures. */
const STABLE_MS = 30 * SECOND
/** The network sees at most one attempt a second of an instance, however often callers ask. */
const MIN_SPACING_MS = SECOND

/** A part of a session that does something when the session has logged in, or when its connection has ended. */
export interface LoginListener {
  handleLogin?(connection: Connection): void
  handleEnd?(): void
}

interface Deps {
  instance: string
  driver: Driver
  state: StoredState
  coverage: SessionCoverage
  /** Who takes what the network tells. */
  news: NewsEvents
  listeners: readonly LoginListener[]
  /** Which past the phone is asked for. */
  getHistoryMode(): HistoryMode
  proxy: ProxySetting
  clock: Clock
  lease: Pick<Lease, 'runs'>
  mutex: Mutex
  /** For a device that is no longer linked. If the store fails now, the next connect does it first. */
  deleteKeys(): Promise<void>
  metrics: Pick<Metrics, 'reconnects' | 'network'>
  log: Log
}

const unconnected = { connected: false, loggedIn: false, pairing: null }

export class Reconnector {
  readonly #deps: Deps
  readonly #history = new AttemptHistory()
  #connection: Connection | undefined
  #cancelNext: Cancel | undefined
  /** Grows with every attempt; events of an earlier socket are ignored. */
  #attempt = 0
  #phone: string | undefined
  /** When the last attempt began, logged in, or ended without a login: the next one is at least a second later. */
  #attemptedAt = Number.NEGATIVE_INFINITY
  #openedAt: number | undefined
  #obstacle: RefusedOutcome | undefined
  /** The last attempt was for a device that is not linked yet. */
  #pairing = false

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** The socket, also before the network has accepted the credential. */
  get connection(): Connection | undefined {
    return this.#connection
  }

  /** A socket is open or being opened, or the next attempt is scheduled. */
  get active(): boolean {
    return this.#connection !== undefined || this.#cancelNext !== undefined
  }

  /** Whether `connect` leads to a socket that there would not be without it, or sooner. */
  get wouldAttempt(): boolean {
    return !this.#connection && (this.#cancelNext === undefined || this.#computeWait() <= 0)
  }

  /** Digits of the phone number, while a pairing by code is running. */
  get phone(): string | undefined {
    return this.#phone
  }

  /** Why the last attempt failed: the outcome for callers that wait. */
  get obstacle(): RefusedOutcome | undefined {
    return this.#obstacle
  }

  /** With the mutex held: opens a socket if there is none. A wait for the next attempt is cut short. */
  async connect(phone?: string): Promise<void> {
    if (!this.wouldAttempt) return
    const waited = this.#cancelNext !== undefined
    this.#cancelScheduled()
    this.#obstacle = undefined
    this.#phone = phone
    if (!waited) this.#history.resetCounts()
    if (this.#computeWait() <= 0) return this.#openSocket()
    this.#scheduleAttempt(this.#computeWait())
    await this.#changeState({ status: 'connecting', wanted: true }).catch((error) => {
      // A caller that got the store's failure must not find the session connected later.
      if (!this.#deps.state.row.wanted) this.#cancelScheduled()
      throw error
    })
  }

  /** With the mutex held: closes the socket and cancels the next attempt, without logging out. */
  async stop(): Promise<void> {
    this.#attempt += 1
    this.#cancelScheduled()
    this.#announceEnd()
    const connection = this.#connection
    this.#connection = undefined
    await connection?.close()
  }

  async #openSocket(): Promise<void> {
    const { clock, lease } = this.#deps
    // The next lease brings it back.
    if (!lease.runs) return
    this.#attempt += 1
    this.#attemptedAt = clock.now()
    // Callers that wait from now on wait for this attempt.
    this.#openedAt = this.#obstacle = undefined
    try {
      await this.#dial(this.#attempt)
      this.#history.recordStoreSuccess()
    } catch (error) {
      await this.#handleFailedAttempt(error)
    }
  }

  async #dial(attempt: number): Promise<void> {
    const { instance, driver, state, proxy, coverage } = this.#deps
    const fresh = (await driver.readCredentialState(instance)) !== 'linked'
    if (fresh && state.now.jid !== '') throw new CredentialUnreadable('the credential is gone')
    this.#pairing = fresh
    if (!fresh) this.#phone = undefined
    const known = fresh ? coverage.describeNewDevice() : {}
    await this.#changeState({ status: 'connecting', wanted: true, ...known })
    const proxyUrl = await proxy.readUrl()
    this.#connection = await driver.connect({
      instance,
      fresh,
      ...(this.#phone && { phone: this.#phone }),
      history: this.#deps.getHistoryMode(),
      ...(proxyUrl && { proxy: proxyUrl }),
      events: this.#createEvents(attempt),
    })
  }

  async #handleFailedAttempt(error: unknown): Promise<void> {
    const { state, log } = this.#deps
    if (error instanceof CredentialUnreadable) {
      log.error({ error }, 'failed to open credential or proxy')
      // Still wanted: with the right seal key the next start brings it back.
      const unusable = { lastDisconnect: Date.now(), lastDisconnectReason: 'bad_session' } as const
      return this.#changeState({ status: 'disconnected', ...unusable })
    }
    if (findStoreFault(error) && state.row.wanted) {
      const standing = { linked: !this.#pairing, ...this.#history.recordEnding('store_failed') }
      await this.#applyDecision(decideNext({ kind: 'store_failed' }, standing), 'store_failed')
    } else if (state.row.wanted && !(error instanceof FencedError)) {
      this.#scheduleAttempt(computeBackoffMs(this.#history.recordFailure()))
    }
    throw error
  }

  #computeWait(): number {
    return this.#attemptedAt + MIN_SPACING_MS - this.#deps.clock.now()
  }

  #scheduleAttempt(ms: number): void {
    const scheduledAfter = this.#attempt
    // The login that follows a pairing need not wait, because a pairing is no login.
    const wait = ms === 0 && this.#pairing ? 0 : Math.max(ms, this.#computeWait())
    this.#cancelNext = this.#deps.clock.runAfter(wait, () => {
      this.#cancelNext = undefined
      this.#runExclusively(async () => {
        // While this waited for the mutex, the session may have been ended or a new attempt begun.
        if (scheduledAfter !== this.#attempt) return
        await this.#openSocket().catch((error) => {
          this.#deps.log.error({ error }, 'failed to connect')
          if (this.#cancelNext === undefined)
            this.#scheduleAttempt(computeBackoffMs(this.#history.recordFailure()))
        })
      })
    })
  }

  #cancelScheduled(): void {
    this.#cancelNext?.()
    this.#cancelNext = undefined
  }

  #changeState(change: StateChange, alongside: Statement[] = []): Promise<void> {
    return this.#deps.state.change({ ...unconnected, ...change }, alongside)
  }

  /** Runs `work` with the mutex held; the caller does not wait for it. */
  #runExclusively(work: () => Promise<void>): void {
    this.#deps.mutex(work).catch((error) => this.#deps.log.error({ error }, 'failed to change session'))
  }

  #createEvents(attempt: number): ConnectionEvents {
    const { state, news, mutex } = this.#deps
    const runIfCurrent = (work: () => Promise<void>) =>
      this.#runExclusively(async () => {
        if (attempt === this.#attempt) await work()
      })
    return {
      ...news,
      ...createPairingEvents(this.#phone, (pairing) =>
        runIfCurrent(async () => state.change({ connected: true, pairing: await pairing })),
      ),
      onOpen: (account) => runIfCurrent(() => this.#handleOpen(account)),
      onCaughtUp: () => runIfCurrent(() => this.#deps.coverage.handleCaughtUp()),
      onNamed: (profileName) => runIfCurrent(() => state.change({ profileName })),
      onHistoryChunk: (chunk) =>
        mutex(async () => {
          if (attempt !== this.#attempt) throw new Error('the connection has ended')
          await news.onHistoryChunk(chunk)
        }),
      onUnknownWord: ({ kind, name }) => this.#logUnknownWord(kind, name),
      onProtocolMessage: (name) => this.#deps.metrics.network.countProtocolMessage(name),
      onClosed: (closing) => runIfCurrent(() => this.#handleClose(closing)),
    }
  }

  async #handleOpen(account: Account): Promise<void> {
    const { clock, state, coverage, listeners, log } = this.#deps
    this.#attemptedAt = this.#openedAt = clock.now()
    this.#history.recordLogin()
    this.#phone = this.#obstacle = undefined
    log.info('logged in')
    const { change, statements } = coverage.describeLogin(account)
    const open = { status: 'connected', connected: true, loggedIn: true, ...account } as const
    try {
      await this.#changeState({ ...open, ...change }, statements)
    } catch (error) {
      const connection = this.#connection
      await this.#handleClose({ kind: 'storage', code: 0, message: describeError(error) })
      return connection?.close()
    }
    if (!this.#connection || state.row.kind !== 'msgnet') return
    for (const listener of listeners) listener.handleLogin?.(this.#connection)
  }

  #announceEnd(): void {
    for (const listener of this.#deps.listeners) listener.handleEnd?.()
  }

  async #handleClose(closing: Closing): Promise<void> {
    const { instance, driver, clock, log } = this.#deps
    this.#announceEnd()
    this.#connection = undefined
    const openedAt = this.#openedAt
    if (openedAt !== undefined && clock.now() - openedAt > STABLE_MS) this.#history.resetCounts()
    // A credential that cannot be opened is handled by the next attempt.
    const linked = (await driver.readCredentialState(instance).catch(() => 'linked' as const)) === 'linked'
    const decision = decideNext(closing, { linked, ...this.#history.recordEnding(closing.kind) })
    if (linked && openedAt === undefined && closing.kind !== 'unreachable') this.#attemptedAt = clock.now()
    this.#obstacle = findObstacle(closing, decision, { loggedIn: openedAt !== undefined })
    log[decision.do === 'end' ? 'warn' : 'info']({ closing, decision }, 'connection ended')
    this.#countEnding(closing, decision)
    await this.#applyDecision(decision, closing.kind)
  }

  async #applyDecision(decision: Decision, ending: AttemptEnding): Promise<void> {
    const { state, deleteKeys, log } = this.#deps
    const left = { lastDisconnect: Date.now(), lastDisconnectReason: decision.reason }
    if (decision.do === 'retry') {
      this.#scheduleAttempt(decision.afterMs)
      // A restart that the network asked for is part of linking and of normal operation, not an outage.
      const shown = ending === 'restart' ? {} : left
      return state.forceChange({ ...unconnected, status: 'connecting', ...shown })
    }
    this.#history.resetCounts()
    this.#phone = undefined
    // The device is logged out even if our own store fails.
    if (decision.forget)
      await deleteKeys().catch((error) => log.error({ error }, 'failed to delete keys of unlinked device'))
    const unlinked = decision.forget ? { jid: '', lid: '', profileName: '', history: null } : {}
    await state.forceChange({ ...unconnected, status: 'disconnected', wanted: false, ...unlinked, ...left })
  }

  #countEnding({ kind, networkWords }: Closing, decision: Decision): void {
    const { metrics } = this.#deps
    if (networkWords) metrics.network.countClosing(networkWords)
    if (decision.do === 'retry') metrics.reconnects.inc({ reason: kind })
  }

  /** Each word is logged once. */
  #logUnknownWord(kind: UnknownWord['kind'], name: string): void {
    const { metrics, log } = this.#deps
    const newName = metrics.network.countUnknownWord(kind, name)
    if (newName) log.warn({ kind, name: newName }, 'network sent unknown word')
  }
}
