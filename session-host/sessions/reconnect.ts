// Opens a session's sockets, one at a time, and decides what follows when one ends.

import { SECOND } from '../../shared/clock.ts'
import type { Refused } from '../../shared/wire/outcome.ts'
import type { Cancel, Clock } from '../clock.ts'
import {
  type Account,
  type Closing,
  type Connection,
  type ConnectionEvents,
  CredentialUnreadable,
  type Driver,
} from '../driver/driver.ts'
import type { Lease } from '../lease.ts'
import { type Log, reason } from '../log.ts'
import type { Mutex } from '../mutex.ts'
import { storeFaultIn } from '../store/fault.ts'
import { makeAttemptHistory } from './attempt-history.ts'
import type { Calls } from './calls.ts'
import type { Groups } from './groups.ts'
import type { Intake } from './intake.ts'
import type { KeptState, StateChange } from './kept-state.ts'
import { countEnding, type EndingMetrics, watchUnknownWords } from './network-words.ts'
import { findObstacle } from './obstacles.ts'
import { reportPairing } from './pairing.ts'
import type { ProxySetting } from './proxy.ts'
import { type AttemptEnding, backoffMs, judge, type Verdict } from './reconnect-policy.ts'
import type { Settings } from './settings.ts'

/** A login that lasted this long resets the count of failures. */
const LASTED_MS = 30 * SECOND
/** The network sees at most one attempt a second of an instance, however often callers ask. */
const SPACING_MS = SECOND

export interface Reconnect {
  /** The socket, also before the network has accepted the credential. */
  readonly connection: Connection | undefined
  /** A socket is open or being opened, or the next attempt is scheduled. */
  readonly underway: boolean
  /** Digits of the phone number, while a pairing by code is running. */
  readonly phone: string | undefined
  /** Why the last attempt got nowhere: the answer for callers that wait. */
  readonly obstacle: Refused | undefined
  /** With the mutex held: opens a socket if there is none. A wait for the next attempt is cut short. */
  begin(phone?: string): Promise<void>
  /** With the mutex held: closes the socket and cancels the next attempt, without logging out. */
  end(): Promise<void>
}

interface Deps {
  instance: string
  driver: Driver
  state: KeptState
  intake: Intake
  groups: Groups
  calls: Calls
  settings: Settings
  proxy: ProxySetting
  clock: Clock
  lease: Pick<Lease, 'runs'>
  mutex: Mutex
  /** For a device that is no longer linked. If the store fails now, the next connect does it first. */
  forgetKeys(): Promise<void>
  metrics: EndingMetrics
  log: Log
}

const unconnected = { connected: false, loggedIn: false, pairing: null }

export function makeReconnect(deps: Deps): Reconnect {
  const { instance, driver, state, intake, groups, calls, settings, proxy, clock, lease, mutex, log } = deps
  let connection: Connection | undefined
  let cancelNext: Cancel | undefined
  /** Grows with every attempt; events of an earlier socket are ignored. */
  let attempt = 0
  let phone: string | undefined
  const history = makeAttemptHistory()
  /** When the last attempt began, logged in, or ended without a login: the next one is at least a second later. */
  let attemptedAt = Number.NEGATIVE_INFINITY
  let openedAt: number | undefined
  let obstacle: Refused | undefined
  /** The last attempt was for a device that is not linked yet. */
  let pairing = false

  async function start(): Promise<void> {
    // The next lease brings it back.
    if (!lease.runs) return
    const mine = ++attempt
    attemptedAt = clock.now()
    openedAt = undefined
    try {
      const fresh = (await driver.credential(instance)) !== 'linked'
      if (fresh && state.now.jid !== '') throw new CredentialUnreadable('the credential is gone')
      pairing = fresh
      if (!fresh) phone = undefined
      await moveTo({ status: 'connecting', wanted: true })
      const proxyUrl = await proxy.now()
      const how = { fresh, ...(phone && { phone }), ...(proxyUrl && { proxy: proxyUrl }) }
      connection = await driver.connect({ instance, ...how, events: eventsOf(mine) })
      history.storeAnswered()
    } catch (thrown) {
      if (thrown instanceof CredentialUnreadable) {
        log.error({ err: thrown }, 'credential or proxy does not open: it is kept, and not connected')
        // Still wanted: with the right seal key the next start brings it back.
        const unusable = { lastDisconnect: Date.now(), lastDisconnectReason: 'bad_session' } as const
        return moveTo({ status: 'disconnected', ...unusable })
      }
      if (storeFaultIn(thrown) && state.row.wanted) {
        const standing = { linked: !pairing, ...history.ended('store_failed') }
        await follow(judge({ kind: 'store_failed' }, standing), 'store_failed')
      }
      throw thrown
    }
  }

  const untilNext = (): number => attemptedAt + SPACING_MS - clock.now()

  function startIn(ms: number): void {
    const meant = attempt
    // The login that follows a pairing need not wait, because a pairing is no login.
    const wait = ms === 0 && pairing ? 0 : Math.max(ms, untilNext())
    cancelNext = clock.after(wait, () => {
      cancelNext = undefined
      enter(async () => {
        // While this waited for the mutex, the session may have been ended or a new attempt begun.
        if (meant !== attempt) return
        await start().catch((thrown) => {
          log.error({ err: thrown }, 'an attempt could not be made')
          if (cancelNext === undefined) startIn(backoffMs(history.failed()))
        })
      })
    })
  }

  function cancelWait(): void {
    cancelNext?.()
    cancelNext = undefined
  }

  const moveTo = (change: StateChange) => state.change({ ...unconnected, ...change })

  /** Runs `work` with the mutex held; the caller does not wait for it. */
  function enter(work: () => Promise<void>): void {
    mutex(work).catch((thrown) => log.error({ err: thrown }, 'a change of the session failed'))
  }

  function eventsOf(mine: number): ConnectionEvents {
    const heard = (work: () => Promise<void>) =>
      enter(async () => {
        if (mine === attempt) await work()
      })
    return {
      ...reportPairing(phone, (pairing) =>
        heard(async () => state.change({ connected: true, pairing: await pairing })),
      ),
      open: (account) => heard(() => opened(account)),
      named: (profileName) => heard(() => state.change({ profileName })),
      messages: (messages) => intake.messages(messages),
      ...{ receipts: intake.receipts, ack: intake.ack, restricted: intake.restricted },
      ...{ groupJoined: groups.joined, groupChanged: groups.changed, groupsListed: groups.relisted },
      ...{ groupRenewed: groups.keep, groupAddressed: groups.addressed },
      ...{ call: calls.received, settings: settings.received, peopleNamed: settings.peopleNamed },
      unknownWord: watchUnknownWords(deps.metrics, log),
      closed: (closing) => heard(() => closed(closing)),
    }
  }

  async function opened(account: Account): Promise<void> {
    attemptedAt = openedAt = clock.now()
    history.loggedIn()
    phone = obstacle = undefined
    log.info('logged in')
    try {
      await moveTo({ status: 'connected', connected: true, loggedIn: true, ...account })
    } catch (thrown) {
      const lost = connection
      await closed({ kind: 'storage', code: 0, message: reason(thrown) })
      return lost?.close()
    }
    if (!connection || state.row.kind !== 'msgnet') return
    for (const known of [groups, settings]) known.opened(connection)
  }

  async function closed(closing: Closing): Promise<void> {
    connection = undefined
    if (openedAt !== undefined && clock.now() - openedAt > LASTED_MS) history.forgive()
    // A credential that cannot be opened is handled by the next attempt.
    const linked = (await driver.credential(instance).catch(() => 'linked' as const)) === 'linked'
    const verdict = judge(closing, { linked, ...history.ended(closing.kind) })
    if (linked && openedAt === undefined && closing.kind !== 'unreachable') attemptedAt = clock.now()
    obstacle = findObstacle(closing, verdict, { loggedIn: openedAt !== undefined })
    log[verdict.do === 'end' ? 'warn' : 'info']({ closing, verdict }, 'the connection ended')
    countEnding(deps.metrics, closing, verdict)
    await follow(verdict, closing.kind)
  }

  async function follow(verdict: Verdict, ending: AttemptEnding): Promise<void> {
    const left = { lastDisconnect: Date.now(), lastDisconnectReason: verdict.reason }
    if (verdict.do === 'retry') {
      startIn(verdict.afterMs)
      // A restart that the network asked for is part of linking and of normal operation, not an outage.
      const why = ending === 'restart' ? {} : left
      return state.changeAnyway({ ...unconnected, status: 'connecting', ...why })
    }
    history.forgive()
    phone = undefined
    // The device is logged out even if our own store fails.
    const keysStay = (thrown: unknown) => log.error({ err: thrown }, 'keys of no more use are still there')
    if (verdict.forget) await deps.forgetKeys().catch(keysStay)
    const unlinked = verdict.forget ? { jid: '', lid: '', profileName: '' } : {}
    await state.changeAnyway({ ...unconnected, status: 'disconnected', wanted: false, ...unlinked, ...left })
  }

  return {
    get connection() {
      return connection
    },
    get underway() {
      return connection !== undefined || cancelNext !== undefined
    },
    get phone() {
      return phone
    },
    get obstacle() {
      return obstacle
    },
    async begin(wanted) {
      const waited = cancelNext !== undefined
      if (connection || (waited && untilNext() > 0)) return
      cancelWait()
      obstacle = undefined
      phone = wanted
      if (!waited) history.forgive()
      if (untilNext() <= 0) return start()
      startIn(untilNext())
      await moveTo({ status: 'connecting', wanted: true }).catch((thrown) => {
        // A caller that got the store's failure must not find the session connected later.
        if (!state.row.wanted) cancelWait()
        throw thrown
      })
    },
    async end() {
      attempt += 1
      cancelWait()
      const ending = connection
      connection = undefined
      await ending?.close()
    },
  }
}
