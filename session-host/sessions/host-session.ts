// The session of one instance: connects, restarts, disconnects and deletes it.

import type { HistoryMode } from '@msgnet/shared/contract/history.ts'
import type { DisconnectReason } from '@msgnet/shared/contract/instance-requests.ts'
import { SECOND } from '@msgnet/shared/date-time.ts'
import {
  createDoneOutcome,
  createRefusal,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import type { SessionState } from '@msgnet/shared/wire/session-state.ts'
import type { Connection, ImportedCredential } from '../driver/driver.ts'
import {
  createSingleLine,
  type Line,
  type NoConnection,
  type TrackedRequests,
  trackRequests,
} from '../driver/request-tracking.ts'
import { createMutex, type Mutex } from '../process/mutex.ts'
import { deleteInTurns } from '../store/delete-in-turns.ts'
import type { FencedStore } from '../store/fenced-store.ts'
import { deleteInstance, type SessionRow } from '../store/session-store.ts'
import { Intake } from './intake.ts'
import { PresenceWatch } from './presence-watch.ts'
import { Reconnector } from './reconnect.ts'
import { SessionCalls } from './session-calls.ts'
import { SessionCoverage } from './session-coverage.ts'
import { createUnlinkedState, type ImportWork, SessionCredential } from './session-credential.ts'
import type { RunInSlot, SessionDeps } from './session-deps.ts'
import { SessionEnd } from './session-end.ts'
import { Groups } from './session-groups.ts'
import { History } from './session-history.ts'
import { createNewsEvents } from './session-news.ts'
import { ProxySetting } from './session-proxy.ts'
import { Schedule } from './session-schedule.ts'
import { Settings } from './session-settings.ts'
import { type IsNews, waitForState } from './state-wait.ts'
import { StoredState } from './stored-state.ts'
import { TimedPresence } from './timed-presence.ts'

const notLinked = createRefusal('not_connected', 'No account is linked: connect links one.')

/** A network that does not answer must not delay the caller: the device is given up all the same. */
const MAX_UNLINK_MS = 10 * SECOND

interface UnlinkRequest {
  requests: TrackedRequests
  deadline: AbortSignal
  /** Milliseconds for the network's answer. */
  waitMs?: number
}

export interface ConnectRequest {
  phone?: string | undefined
  proxy: string
  waitMs: number
  /** Of a new linking; undefined for that of a pairing under way. */
  history?: HistoryMode | undefined
}

export class Session implements Line {
  readonly instance: string
  readonly state: StoredState
  readonly intake: Intake
  readonly groups: Groups
  readonly calls: SessionCalls
  readonly settings: Settings
  readonly history: History
  readonly presence: PresenceWatch
  readonly schedule: Schedule
  readonly timedPresence: TimedPresence
  readonly #deps: SessionDeps
  readonly #runInSlot: RunInSlot
  /** Held while the socket is opened or closed, so that a connect, a restart and a start-up at the same time open only one. */
  readonly #mutex: Mutex = createMutex()
  readonly #reconnector: Reconnector
  readonly #proxy: ProxySetting
  readonly #credential: SessionCredential
  readonly #coverage: SessionCoverage
  /** True from `resume` until `suspend`, `release` or `stop`: only then it may have a socket. */
  #resumed = false
  /** Why no connection follows, whatever the stored state says. */
  readonly #gone = new SessionEnd()

  constructor(deps: SessionDeps, row: SessionRow, runInSlot: RunInSlot) {
    this.instance = row.instance
    this.#deps = deps
    this.#runInSlot = runInSlot
    this.state = new StoredState(deps.store, deps.outbox, row)
    this.intake = new Intake(deps, this.state, () => this.groups)
    this.groups = new Groups(deps, this.state, this.intake)
    this.calls = new SessionCalls(deps.store, row, this.intake)
    this.settings = new Settings(deps, this.state, this.intake)
    this.presence = new PresenceWatch(deps, this.state)
    this.schedule = new Schedule(deps.scheduled, row.instance, this.intake)
    this.timedPresence = new TimedPresence(deps)
    this.#proxy = new ProxySetting(deps.sealer, this.state)
    this.#coverage = new SessionCoverage(deps.store, this.state)
    this.#credential = new SessionCredential(deps, this.state, this.#coverage)
    const { state, intake } = this
    this.history = new History(deps, { state, intake, mutex: this.#mutex, getGroups: () => this.groups })
    this.#reconnector = new Reconnector({
      instance: row.instance,
      driver: deps.driver,
      state: this.state,
      coverage: this.#coverage,
      news: createNewsEvents(this),
      listeners: [this.#coverage, intake.lost, this.groups, this.settings, this.presence, this.history],
      getHistoryMode: () => this.history.readMode,
      proxy: this.#proxy,
      clock: deps.clock,
      lease: deps.lease,
      mutex: this.#mutex,
      deleteKeys: () => {
        this.#credential.isUnlinked = true
        return this.#deleteKeys()
      },
      metrics: deps.metrics,
      log: deps.log.child({ instance: row.instance }),
    })
  }

  get storedMedia() {
    return this.#deps.storedMedia
  }

  get store(): FencedStore {
    return this.#deps.store
  }

  /** Undefined while not logged in. */
  get network(): Connection | undefined {
    return this.state.now.loggedIn ? this.#reconnector.connection : undefined
  }

  waitForNetwork(
    previous: Connection | undefined,
    deadline: AbortSignal,
  ): Promise<Connection | NoConnection> {
    return this.#gone.waitForNetwork(this, previous, deadline)
  }

  /** The socket of a pairing that waits for a passkey. */
  get passkeyNetwork(): Connection | undefined {
    return this.state.now.pairing?.passkey && this.#reconnector.connection
  }

  /** It has a socket or is about to: it takes a slot. */
  get active(): boolean {
    return this.#reconnector.active || this.state.now.status !== 'disconnected'
  }

  /** Returns the first QR, code, login or refusal; after `waitMs` with the current state. Refused where the host has no free slot. */
  async connect({ phone, proxy, waitMs, history }: ConnectRequest): Promise<Outcome<SessionState>> {
    const { importConflict } = this.#credential
    if (importConflict) return importConflict
    const refused = await this.#runOpening(async () => {
      // The keys of a device that is no longer linked, if the store failed to delete them before.
      if (this.#credential.isUnlinked) await this.#deleteKeys()
      await this.#proxy.storeUrl(proxy)
      const { jid, loggedIn } = this.state.now
      if (loggedIn) return undefined
      // The new pairing replaces one of another kind or for another phone.
      const pairing = this.#reconnector.active && jid === ''
      const mode = history ?? (pairing ? this.history.mode : 'none')
      const isOther = this.#reconnector.phone !== phone || this.history.mode !== mode
      const replaces = pairing && isOther
      const refusal = replaces || this.#reconnector.wouldAttempt ? this.#countLogin() : undefined
      if (refusal) return refusal
      if (replaces) await this.#reconnector.stop()
      if (jid === '') await this.history.choose(mode)
      await this.#reconnector.connect(phone)
      return undefined
    })
    return refused ?? this.waitForState(waitMs)
  }

  /** Whether there is a credential to connect with: false until a pairing is complete, and after an unlinking. */
  isLinked(): Promise<boolean> {
    return this.#credential.isLinked()
  }

  /** Runs `work` if a credential of another program can be stored now; nothing connects meanwhile. */
  runImport<Result>(work: ImportWork<Result>): Promise<Outcome<Result>> {
    return this.#credential.runImport(() => this.active, work)
  }

  /** Makes the credential of another program this one's. The session stays as it is. */
  import(credential: ImportedCredential, signal: AbortSignal): Promise<Outcome<SessionState>> {
    return this.#runHeld(async () => {
      const conflict = await this.#credential.findConflict(this.active)
      const refused = conflict ?? (await this.#credential.store(credential, signal))
      return refused ?? createDoneOutcome(this.state.now)
    })
  }

  /** Opens a new socket with the same credential; refused without one, also during a pairing. */
  async restart(proxy: string, waitMs: number): Promise<Outcome<SessionState>> {
    if (!(await this.isLinked())) return notLinked
    const refused = await this.#runOpening(async () => {
      if (!(await this.isLinked())) return notLinked
      const refusal = this.#countLogin()
      if (refusal) return refusal
      await this.#proxy.storeUrl(proxy)
      await this.#reconnector.stop()
      await this.#reconnector.connect()
      return undefined
    })
    return refused ?? this.waitForState(waitMs)
  }

  #countLogin(): RefusedOutcome | undefined {
    return this.#deps.logins.countLogin(this.instance)
  }

  /** Stores the proxy for the next connection. */
  storeProxy(proxy: string): Promise<void> {
    return this.#runHeld(() => this.#proxy.storeUrl(proxy))
  }

  #runOpening(work: () => Promise<RefusedOutcome | undefined>): Promise<RefusedOutcome | undefined> {
    return this.#runInSlot(() => this.#runHeld(work))
  }

  /** Runs `work` in turn. Throws a FencedError if the instance was deleted, or went to another host, meanwhile. */
  #runHeld<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#mutex(() => {
      this.store.requireHeld(this.instance)
      return work()
    })
  }

  /** Called when this host holds the instance: reconnects it if it is wanted. */
  resume(): Promise<void> {
    return this.#mutex(async () => {
      if (this.#resumed) return
      this.#resumed = true
      this.#gone.set(undefined)
      const undoResume = (error: unknown) => {
        this.#resumed = false
        throw error
      }
      const loads = [this.#coverage.load(), this.intake.lost.load(), this.groups.load()]
      await Promise.all(loads).catch(undoResume)
      this.intake.start()
      this.history.start()
      const { rev, jid, wanted } = this.state.row
      if (rev === 0 && jid !== '') return this.#endWith('bad_session').catch(undoResume)
      if (!wanted) return
      const stored = await this.#deps.driver.readCredentialState(this.instance).catch(() => 'linked')
      if (stored === 'linked') return this.#reconnector.connect()
      // A pairing ends with its process.
      return this.#endWith('pairing_expired').catch(undoResume)
    })
  }

  /** Unlinks the device and deletes its keys; true when the network has confirmed it. */
  disconnect(request: UnlinkRequest): Promise<boolean> {
    return this.#runHeld(async () => {
      const wasActive = this.#reconnector.active
      const unlinked = await this.#unlink(request)
      if (unlinked) this.#credential.isUnlinked = true
      await this.#deleteKeys().catch(async (error) => {
        // The network has confirmed it, so it is done even if our own store fails.
        if (!unlinked) await this.#goOn(wasActive)
        if (!unlinked) throw error
        this.#deps.log.error({ instance: this.instance, error }, 'failed to delete keys of unlinked device')
      })
      const { status, jid } = this.state.now
      if (status !== 'disconnected' || jid !== '') await this.state.forceChange(createUnlinkedState())
      return unlinked
    })
  }

  /** Unlinks the device, and deletes everything that is stored of the instance. */
  delete(request: UnlinkRequest): Promise<boolean> {
    return this.#mutex(async () => {
      if (this.store.hasDeleted(this.instance)) return false
      this.#credential.endImport('deleted')
      const wasActive = this.#reconnector.active
      const unlinked = await this.#unlink(request)
      this.#gone.set('ended')
      await this.#deleteRows().catch(async (error) => {
        if (!unlinked) await this.#goOn(wasActive)
        if (!unlinked) throw error
        // The next start finds it again, and the edge answers that it was deleted.
        this.#deps.log.error({ instance: this.instance, error }, 'failed to delete instance')
      })
      return unlinked
    })
  }

  /** It could not be given up, because the store failed: it is what it was, and connected if it was. */
  async #goOn(wasActive: boolean): Promise<void> {
    // Its lease may be over since, or another host have it.
    if (!this.#resumed) return
    this.#gone.set(undefined)
    this.intake.start()
    if (!wasActive) return
    await this.#reconnector
      .connect(this.#reconnector.phone)
      .catch((error) => this.#deps.log.error({ instance: this.instance, error }, 'failed to connect again'))
  }

  /** For an instance that the edge shows as connected and that the store does not have: the store was lost. */
  reportMissingStore(): Promise<void> {
    return this.#mutex(() => this.#endWith('bad_session'))
  }

  /** Closes the session without logging out, and without a write or a report: this host does not hold it now. */
  suspend(): Promise<void> {
    this.#markAway()
    // At once, without the mutex: its holder may be about to open a socket.
    const closed = this.#reconnector.stop()
    return this.#mutex(async () => {
      // Before it came the turn of a resume that an earlier lease had asked for.
      this.#markAway()
      await closed
      await this.#reconnector.stop()
      await this.intake.stop()
    })
  }

  /** Closes the session and deletes everything stored of it; with `events`, all but the events that the edge has not confirmed. */
  release(keep?: 'events'): Promise<void> {
    this.#credential.endImport(keep ? 'held elsewhere' : 'deleted')
    this.#markAway()
    return this.#mutex(async () => {
      this.timedPresence.cancelAll()
      await this.#reconnector.stop()
      await this.#deleteRows(keep)
    })
  }

  /** Closes the session without logging out; the next holder brings it back. */
  stop(): Promise<void> {
    return this.#mutex(async () => {
      const { active } = this
      const wasUp = this.#resumed
      this.#markAway()
      await this.#reconnector.stop()
      await this.intake.stop()
      if (!active || !wasUp) return
      const closed = { connected: false, loggedIn: false, pairing: null }
      await this.state.change({ status: 'connecting', ...closed, lastDisconnect: Date.now() })
    })
  }

  #markAway(): void {
    this.#resumed = false
    this.#gone.set('away')
    this.timedPresence.cancelAll()
  }

  #endWith(lastDisconnectReason: DisconnectReason): Promise<void> {
    const ended = { status: 'disconnected', lastDisconnectReason, wanted: false } as const
    return this.state.change({ ...ended, lastDisconnect: Date.now() })
  }

  async #unlink({ requests, deadline, waitMs = MAX_UNLINK_MS }: UnlinkRequest): Promise<boolean> {
    const { network } = this
    this.#credential.endImport()
    const limit = AbortSignal.timeout(Math.min(waitMs, MAX_UNLINK_MS))
    const answer =
      network &&
      (await trackRequests(createSingleLine(network), network, requests, deadline).unlink(
        AbortSignal.any([deadline, limit]),
      ))
    const unlinked = answer?.kind === 'done'
    await this.#reconnector.stop()
    return unlinked
  }

  async #deleteKeys(): Promise<void> {
    await this.#credential.delete()
    await this.groups.deleteAll()
    await this.settings.deleteAll()
    await this.presence.deleteAll()
  }

  async #deleteRows(keep?: 'events'): Promise<void> {
    await this.intake.stop()
    if (keep) {
      await this.intake.reportPostponed()
      await this.schedule.endAll('released')
    }
    await this.#deps.driver.deleteCredential(this.instance)
    await deleteInTurns(this.store, this.instance, 'messages')
    const statements = deleteInstance(this.store, this.instance, keep)
    await this.store.endWriting(this.instance, statements, { deletes: keep === undefined })
    this.storedMedia.announceEnd()
  }

  /** The first state with news, or why the last attempt failed; after `waitMs` the current state. */
  waitForState(waitMs: number, isNews?: IsNews): Promise<Outcome<SessionState>> {
    return waitForState(this.state, { waitMs, getObstacle: () => this.#reconnector.obstacle, isNews })
  }
}
