// Acts from the edge: each is journalled, then accepted, then run once; its outcome is kept until the edge has seen it.

import { setImmediate as turn } from 'node:timers/promises'
import { SECOND } from '../../shared/date-time.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { toCause } from '../../shared/trace-context.ts'
import type { Act, HostFrame } from '../../shared/wire/link-frames.ts'
import {
  createRefusal,
  createUnknownOutcome,
  type Outcome,
  type RefusedOutcome,
} from '../../shared/wire/outcome.ts'
import {
  type ActionInput,
  type ActionName,
  actionInputs,
  isReadOnly,
} from '../../shared/wire/session-actions.ts'
import { crashIfArmed } from '../crash-points.ts'
import { type TrackedRequests, trackRequests } from '../driver/request-tracking.ts'
import type { Log } from '../host-log.ts'
import type { Metrics } from '../host-metrics.ts'
import type { Lease } from '../lease.ts'
import type { Session } from '../sessions/host-session.ts'
import type { Sessions } from '../sessions/host-sessions.ts'
import type { OutcomeCommit } from '../sessions/outcome-commit.ts'
import type { Journal } from '../store/act-journal.ts'
import { findStoreFault } from '../store/store-fault.ts'
import { describeRequest, readKind, readMessageid } from './act-facts.ts'
import type { ActionContext } from './action.ts'
import { actions } from './action-table.ts'
import type { Transfers } from './file-transfers.ts'
import { openEntry } from './journal-entry.ts'
import { toOutcome, type UnknownOutcomes } from './unknown-outcomes.ts'

export type Send = (frame: HostFrame) => void

/** How long running acts may take to end before their sockets are closed. */
const MAX_WAIT_MS = 5 * SECOND

export interface ActRunner {
  /** `lateMs`: how long the act may have waited unread; its budget is reduced by it. */
  runAct(act: Act, lateMs: number, send: Send): Promise<void>
  /** Answers a query for an act with its outcome, or that it was not started. Sends no answer while it is running. */
  sendQueriedOutcome(id: string, send: Send): Promise<void>
  /** Outcomes that the edge has not seen. */
  resendOutcomes(send: Send): Promise<void>
  deleteSeen(ids: string[]): void
  /** Waits for the running acts of an instance, at most `WAITED_MS`, because others wait for its session. */
  waitForInstance(instance: string): Promise<void>
  /** Takes no more acts, and waits for all running ones, at most as long. */
  stop(): Promise<void>
}

interface Deps {
  sessions: Sessions
  lease: Pick<Lease, 'runs'>
  journal: Journal
  unknownOutcomes: UnknownOutcomes
  transfers: Transfers
  metrics: Metrics
  log: Log
}

export function createActRunner({
  sessions,
  lease,
  journal,
  unknownOutcomes,
  transfers,
  metrics,
  log,
}: Deps): ActRunner {
  /** Acts by id, from before their journal entry is written until their outcome is in it. */
  const running = new Map<unknown, { instance: string; work: Promise<void> }>()
  let stopping = false
  let lastSend: Send = () => undefined
  unknownOutcomes.onResolved((known) => lastSend({ t: 'outcome', ...known }))

  async function waitForActs(of: (instance: string) => boolean): Promise<void> {
    const works = [...running.values()].flatMap(({ instance, work }) => (of(instance) ? [work] : []))
    await withDeadline(Promise.all(works), MAX_WAIT_MS, () => undefined)
  }

  async function assignSession({ instance, epoch, input }: Act): Promise<Session | RefusedOutcome> {
    try {
      const session = await sessions.assignSession({ instance, epoch, kind: readKind(input) })
      return session ?? createRefusal('session_owned_elsewhere')
    } catch (error) {
      log.error({ instance, err: error }, 'an assignment could not be kept')
      return createRefusal('storage_unavailable', findStoreFault(error)?.message)
    }
  }

  async function runWithDeadline(
    session: Session,
    act: Act,
    budgetMs: number,
    requests: TrackedRequests,
    outcomeCommit: OutcomeCommit,
  ): Promise<Outcome> {
    const { instance, action, input } = act
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), budgetMs - computeMargin(budgetMs))
    const context: ActionContext = {
      session,
      sessions,
      requests,
      transfers,
      outcomeCommit,
      deadline: deadline.signal,
      cause: toCause(act),
      log: log.child({ instance, action, ...describeRequest(act) }),
      registerWork(work) {
        running.set(work, { instance, work: work.then(() => void running.delete(work)) })
      },
      get network() {
        return session.network && trackRequests(session.network, requests)
      },
    }
    try {
      return await runAction(action, context, input)
    } catch (error) {
      log.error({ instance, action, ...describeRequest(act), err: error }, 'an action failed')
      // The network's failures are answers, so an exception comes from our own store or from a fault in the code.
      if (requests.hasBegun)
        return createUnknownOutcome('The network was asked, and what became of it could not be stored.')
      return createRefusal('storage_unavailable', findStoreFault(error)?.message)
    } finally {
      clearTimeout(timer)
    }
  }

  async function startAct(act: Act, budgetMs: number, send: Send): Promise<void> {
    const { id, instance, action } = act
    const started = performance.now()
    const sendOutcome = (outcome: Outcome) => send({ t: 'outcome', id, outcome, instance })
    const session = await assignSession(act)
    // Nothing has begun, so there is no outcome to store.
    if ('kind' in session) return sendOutcome(session)
    const sendAccepted = () => send({ t: 'accepted', id })
    const entry = isReadOnly(action) ? undefined : await openEntry(journal, act, sendAccepted)
    // An act that is not in the journal was not begun.
    if (entry && 'kind' in entry) return sendOutcome(entry)
    const makesMessage = readMessageid(act.input) !== ''
    if (entry && !makesMessage) await entry.written

    const requests: TrackedRequests = { hasBegun: false, lastError: undefined }
    const outcomeCommit = createOutcomeCommit(act)
    const result = await runWithDeadline(session, act, budgetMs, requests, outcomeCommit)
    // An entry that the store refused must not be settled: that would wait for the store once more.
    if (result.kind === 'refused') await turn()
    if (entry && !entry.failed && !outcomeCommit.isStored) {
      crashIfArmed('before-outcome')
      // The outcome is sent even if it cannot be stored. A later query then answers `unknown`, which does not contradict it.
      await journal.storeOutcome({ id, instance }, result).catch(logUnstoredOutcome(act))
      crashIfArmed('after-outcome')
    }
    // If the entry could not be written, nothing of the act was sent to the network: its refusal is the outcome.
    const outcome = (await entry?.written) ?? result
    if (outcome.kind === 'unknown') await trackUnknown(act)
    if (outcome.kind === 'refused') session.intake.recordRefusal(action, outcome.providerCode, makesMessage)
    recordOutcome(act, outcome, performance.now() - started, requests.lastError)
    sendOutcome(outcome)
  }

  /** For metrics and log. `said`: the network's own text. */
  function recordOutcome(
    act: Act,
    outcome: Outcome,
    tookMs: number,
    networkText: TrackedRequests['lastError'],
  ): void {
    const { id, instance, action } = act
    metrics.actions.inc({ action, outcome: outcome.kind })
    metrics.actionTime.observe({ action, outcome: outcome.kind }, tookMs / 1000)
    const why = outcome.kind === 'refused' ? outcome.fault : undefined
    const what = { ...describeRequest(act), instance, act: id, action, outcome: outcome.kind, why }
    const shownText = outcome.kind === 'done' ? undefined : networkText
    log.info({ ...what, said: shownText, ms: Math.round(tookMs) }, 'act')
  }

  function createOutcomeCommit({ id, action }: Act): OutcomeCommit {
    let isStored = false
    return {
      get isStored() {
        return isStored
      },
      buildStatement(record) {
        crashIfArmed('before-outcome')
        return journal.buildOutcomeStatement(id, toOutcome(action, record))
      },
      markStored() {
        crashIfArmed('after-outcome')
        isStored = true
      },
    }
  }

  const logUnstoredOutcome = (act: Act) => (error: unknown) =>
    log.error({ instance: act.instance, act: act.id, err: error }, 'an outcome is not in the journal')

  async function trackUnknown({ id, instance, action, input }: Act): Promise<void> {
    const messageid = readMessageid(input)
    if (messageid === '') return
    unknownOutcomes.trackMessage(messageid, { id, instance, action })
    // The outcome may have become known while it was being written.
    const row = await sessions.findSession(instance)?.intake.findMessage(messageid)
    if (row) unknownOutcomes.resolveFromRecord(row.record)
  }

  return {
    async runAct(act, lateMs, send) {
      lastSend = send
      const budget = act.budget - lateMs
      if (running.has(act.id)) return
      const why = budget <= 0 ? 'past its budget' : lease.runs ? stopping && 'too late' : 'without a lease'
      if (why) {
        log.warn(
          { act: act.id, action: act.action, ...describeRequest(act) },
          `an act came ${why} and was not begun`,
        )
        return send({ t: 'not_started', id: act.id })
      }
      const work = startAct(act, budget, send)
        .catch((error) => log.error({ act: act.id, err: error }, 'an act was not begun: its id is taken'))
        .finally(() => running.delete(act.id))
      running.set(act.id, { instance: act.instance, work })
      await work
    },
    async sendQueriedOutcome(id, send) {
      if (running.has(id)) return
      const row = await journal.findAct(id)
      if (!row) return send({ t: 'not_started', id })
      // An entry without an outcome: the act ended while the journal could not be written.
      const outcome = row.outcome ?? createUnknownOutcome('the outcome could not be stored')
      send({ t: 'outcome', id, outcome, instance: row.instance })
    },
    async resendOutcomes(send) {
      lastSend = send
      for (const unseen of await journal.listUnseen()) send({ t: 'outcome', ...unseen })
    },
    deleteSeen: (ids) => journal.deleteSeen(ids),
    waitForInstance: (instance) => waitForActs((other) => other === instance),
    stop() {
      stopping = true
      return waitForActs(() => true)
    },
  }
}

/** Long enough for the outcome to reach the edge in time, short enough to leave the network most of the budget. */
const computeMargin = (budgetMs: number): number => Math.min(500, budgetMs / 10)

function runAction<Name extends ActionName>(
  name: Name,
  context: ActionContext,
  input: unknown,
): Promise<Outcome> | RefusedOutcome {
  if (!Object.hasOwn(actions, name))
    return createRefusal('session_conflict', 'The session host is too old to do this.')
  const parsed = actionInputs[name].safeParse(input)
  if (!parsed.success) return createRefusal('invalid_body', 'The session host does not read this request.')
  return actions[name](context, parsed.data as ActionInput<Name>)
}
