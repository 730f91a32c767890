// Opens a session's sockets, one at a time, and decides what follows when one ends.

import { SECOND } from '../../shared/date-time.ts'
import type { RefusedOutcome } from '../../shared/wire/outcome.ts'
import {
  type Account,
  type Closing,
  type Connection,
  type ConnectionEvents,
  CredentialUnreadable,
  type Driver,
} from '../driver/driver.ts'
import { describeError, type Log } from '../host-log.ts'
import type { Lease } from '../lease.ts'
import type { Cancel, Clock } from '../machine-clock.ts'
import type { Mutex } from '../mutex.ts'
import { findStoreFault } from '../store/store-fault.ts'
import { createAttemptHistory } from './attempt-history.ts'
import { findObstacle } from './find-obstacle.ts'
import type { Intake } from './intake.ts'
import { createPairingEvents } from './pairing-events.ts'
import { type AttemptEnding, computeBackoffMs, type Decision, decideNext } from './reconnect-policy.ts'
import type { SessionCalls } from './session-calls.ts'
import type { Groups } from './session-groups.ts'
import type { ProxySetting } from './session-proxy.ts'
import type { Settings } from './session-settings.ts'
import type { StateChange, StoredState } from './stored-state.ts'
import { countEnding, type EndingMetrics, logUnknownWords } from './unknown-words.ts'

/** A login that lasted this long resets the count of failures. */
const STABLE_MS = 30 * SECOND
/** The network sees at most one attempt a second of an instance, however often callers ask. */
const MIN_SPACING_MS = SECOND

export interface Reconnect {
  /** The socket, also before the network has accepted the credential. */
  readonly connection: Connection | undefined
  /** A socket is open or being opened, or the next attempt is scheduled. */
  readonly active: boolean
  /** Digits of the phone number, while a pairing by code is running. */
  readonly phone: string | undefined
  /** Why the last attempt got nowhere: the answer for callers that wait. */
  readonly obstacle: RefusedOutcome | undefined
  /** With the mutex held: opens a socket if there is none. A wait for the next attempt is cut short. */
  connect(phone?: string): Promise<void>
  /** With the mutex held: closes the socket and cancels the next attempt, without logging out. */
  stop(): Promise<void>
}

interface Deps {
  instance: string
  driver: Driver
  state: StoredState
  intake: Intake
  groups: Groups
  calls: SessionCalls
  settings: Settings
  proxy: ProxySetting
  clock: Clock
  lease: Pick<Lease, 'runs'>
  mutex: Mutex
  /** For a device that is no longer linked. If the store fails now, the next connect does it first. */
  deleteKeys(): Promise<void>
  metrics: EndingMetrics
  log: Log
}

const unconnected = { connected: false, loggedIn: false, pairing: null }

export function createReconnect(deps: Deps): Reconnect {
  const { instance, driver, state, intake, groups, calls, settings, proxy, clock, lease, mutex, log } = deps
  let connection: Connection | undefined
  let cancelNext: Cancel | undefined
  /** Grows with every attempt; events of an earlier socket are ignored. */
  let attempt = 0
  let phone: string | undefined
  const history = createAttemptHistory()
  /** When the last attempt began, logged in, or ended without a login: the next one is at least a second later. */
  let attemptedAt = Number.NEGATIVE_INFINITY
  let openedAt: number | undefined
  let obstacle: RefusedOutcome | undefined
  /** The last attempt was for a device that is not linked yet. */
  let pairing = false

  async function openSocket(): Promise<void> {
    // The next lease brings it back.
    if (!lease.runs) return
    const attemptNumber = ++attempt
    attemptedAt = clock.now()
    openedAt = undefined
    try {
      const fresh = (await driver.readCredentialState(instance)) !== 'linked'
      if (fresh && state.now.jid !== '') throw new CredentialUnreadable('the credential is gone')
      pairing = fresh
      if (!fresh) phone = undefined
      await changeState({ status: 'connecting', wanted: true })
      const proxyUrl = await proxy.readUrl()
      const options = { fresh, ...(phone && { phone }), ...(proxyUrl && { proxy: proxyUrl }) }
      connection = await driver.connect({ instance, ...options, events: createEvents(attemptNumber) })
      history.recordStoreSuccess()
    } catch (error) {
      if (error instanceof CredentialUnreadable) {
        log.error({ err: error }, 'credential or proxy does not open: it is kept, and not connected')
        // Still wanted: with the right seal key the next start brings it back.
        const unusable = { lastDisconnect: Date.now(), lastDisconnectReason: 'bad_session' } as const
        return changeState({ status: 'disconnected', ...unusable })
      }
      if (findStoreFault(error) && state.row.wanted) {
        const standing = { linked: !pairing, ...history.recordEnding('store_failed') }
        await applyDecision(decideNext({ kind: 'store_failed' }, standing), 'store_failed')
      }
      throw error
    }
  }

  const computeWait = (): number => attemptedAt + MIN_SPACING_MS - clock.now()

  function scheduleAttempt(ms: number): void {
    const scheduledFor = attempt
    // The login that follows a pairing need not wait, because a pairing is no login.
    const wait = ms === 0 && pairing ? 0 : Math.max(ms, computeWait())
    cancelNext = clock.runAfter(wait, () => {
      cancelNext = undefined
      runExclusively(async () => {
        // While this waited for the mutex, the session may have been ended or a new attempt begun.
        if (scheduledFor !== attempt) return
        await openSocket().catch((error) => {
          log.error({ err: error }, 'an attempt could not be made')
          if (cancelNext === undefined) scheduleAttempt(computeBackoffMs(history.recordFailure()))
        })
      })
    })
  }

  function cancelScheduled(): void {
    cancelNext?.()
    cancelNext = undefined
  }

  const changeState = (change: StateChange) => state.change({ ...unconnected, ...change })

  /** Runs `work` with the mutex held; the caller does not wait for it. */
  function runExclusively(work: () => Promise<void>): void {
    mutex(work).catch((error) => log.error({ err: error }, 'a change of the session failed'))
  }

  function createEvents(attemptNumber: number): ConnectionEvents {
    const runIfCurrent = (work: () => Promise<void>) =>
      runExclusively(async () => {
        if (attemptNumber === attempt) await work()
      })
    return {
      ...createPairingEvents(phone, (pairing) =>
        runIfCurrent(async () => state.change({ connected: true, pairing: await pairing })),
      ),
      onOpen: (account) => runIfCurrent(() => handleOpen(account)),
      onNamed: (profileName) => runIfCurrent(() => state.change({ profileName })),
      onMessages: (messages) => intake.storeMessages(messages),
      onReceipts: intake.storeReceipts,
      onAck: intake.storeAck,
      onRestricted: intake.storeRestriction,
      onGroupJoined: groups.handleJoin,
      onGroupChanged: groups.handleChange,
      onGroupsListed: groups.handleList,
      onGroupRenewed: groups.storeGroup,
      onGroupAddressed: groups.handleAddressing,
      onCall: calls.handleCall,
      onSettings: settings.handleChanges,
      onPeopleNamed: settings.handleNames,
      onUnknownWord: logUnknownWords(deps.metrics, log),
      onClosed: (closing) => runIfCurrent(() => handleClose(closing)),
    }
  }

  async function handleOpen(account: Account): Promise<void> {
    attemptedAt = openedAt = clock.now()
    history.recordLogin()
    phone = obstacle = undefined
    log.info('logged in')
    try {
      await changeState({ status: 'connected', connected: true, loggedIn: true, ...account })
    } catch (error) {
      const lost = connection
      await handleClose({ kind: 'storage', code: 0, message: describeError(error) })
      return lost?.close()
    }
    if (!connection || state.row.kind !== 'msgnet') return
    for (const known of [groups, settings]) known.handleLogin(connection)
  }

  async function handleClose(closing: Closing): Promise<void> {
    connection = undefined
    if (openedAt !== undefined && clock.now() - openedAt > STABLE_MS) history.resetCounts()
    // A credential that cannot be opened is handled by the next attempt.
    const linked = (await driver.readCredentialState(instance).catch(() => 'linked' as const)) === 'linked'
    const decision = decideNext(closing, { linked, ...history.recordEnding(closing.kind) })
    if (linked && openedAt === undefined && closing.kind !== 'unreachable') attemptedAt = clock.now()
    obstacle = findObstacle(closing, decision, { loggedIn: openedAt !== undefined })
    log[decision.do === 'end' ? 'warn' : 'info']({ closing, verdict: decision }, 'the connection ended')
    countEnding(deps.metrics, closing, decision)
    await applyDecision(decision, closing.kind)
  }

  async function applyDecision(decision: Decision, ending: AttemptEnding): Promise<void> {
    const left = { lastDisconnect: Date.now(), lastDisconnectReason: decision.reason }
    if (decision.do === 'retry') {
      scheduleAttempt(decision.afterMs)
      // A restart that the network asked for is part of linking and of normal operation, not an outage.
      const why = ending === 'restart' ? {} : left
      return state.forceChange({ ...unconnected, status: 'connecting', ...why })
    }
    history.resetCounts()
    phone = undefined
    // The device is logged out even if our own store fails.
    const logKeysLeft = (error: unknown) => log.error({ err: error }, 'keys of no more use are still there')
    if (decision.forget) await deps.deleteKeys().catch(logKeysLeft)
    const unlinked = decision.forget ? { jid: '', lid: '', profileName: '' } : {}
    await state.forceChange({ ...unconnected, status: 'disconnected', wanted: false, ...unlinked, ...left })
  }

  return {
    get connection() {
      return connection
    },
    get active() {
      return connection !== undefined || cancelNext !== undefined
    },
    get phone() {
      return phone
    },
    get obstacle() {
      return obstacle
    },
    async connect(requestedPhone) {
      const waited = cancelNext !== undefined
      if (connection || (waited && computeWait() > 0)) return
      cancelScheduled()
      obstacle = undefined
      phone = requestedPhone
      if (!waited) history.resetCounts()
      if (computeWait() <= 0) return openSocket()
      scheduleAttempt(computeWait())
      await changeState({ status: 'connecting', wanted: true }).catch((error) => {
        // A caller that got the store's failure must not find the session connected later.
        if (!state.row.wanted) cancelScheduled()
        throw error
      })
    },
    async stop() {
      attempt += 1
      cancelScheduled()
      const ending = connection
      connection = undefined
      await ending?.close()
    },
  }
}
