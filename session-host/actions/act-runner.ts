// Acts from the edge: each is journalled, then accepted, then run once; its outcome is stored until the edge has seen it.

import { setImmediate as turn } from 'node:timers/promises'
import { SECOND } from '@msgnet/shared/date-time.ts'
import { withDeadline } from '@msgnet/shared/deadline.ts'
import type { Act, HostFrame } from '@msgnet/shared/wire/link-frames.ts'
import {
  createDoneOutcome,
  createRefusal,
  createUnknownOutcome,
  type Outcome,
  type RefusedOutcome,
} from '@msgnet/shared/wire/outcome.ts'
import {
  type ActionInput,
  type ActionName,
  actionInputs,
  countSends,
  hasOwnEffects,
  isReadOnly,
} from '@msgnet/shared/wire/session-actions.ts'
import type { TrackedRequests } from '../driver/request-tracking.ts'
import type { Metrics } from '../metrics/host-metrics.ts'
import { crashIfArmed } from '../process/crash-points.ts'
import type { Log } from '../process/host-log.ts'
import type { Lease } from '../process/lease.ts'
import type { Session } from '../sessions/host-session.ts'
import { OutcomeCommit } from '../sessions/outcome-commit.ts'
import { isRefusedAhead, type Journal } from '../store/act-journal.ts'
import { FencedError } from '../store/fenced-store.ts'
import { type ContextParts, createContext } from './act-context.ts'
import { describeRequest, readKind, readMessageid } from './act-facts.ts'
import type { ActTurns } from './act-turns.ts'
import { type Action, type ActionContext, limitToWhatLeft } from './action.ts'
import { actions } from './action-table.ts'
import { ChosenChats } from './chosen-chats.ts'
import { runConfined } from './confined-acts.ts'
import { createThrownOutcome, explainUnknown, limitToFence, recordEnd, refuseByStore } from './end-act.ts'
import { type JournalEntry, openEntry } from './journal-entry.ts'
import type { SendPace } from './send-pace.ts'
import { toOutcome, type UnknownOutcomes } from './unknown-outcomes.ts'

export type Send = (frame: HostFrame) => void

/** How long running acts may take to end before their sockets are closed. */
const MAX_WAIT_MS = 5 * SECOND

interface Deps extends ContextParts {
  lease: Pick<Lease, 'runs'>
  journal: Journal
  unknownOutcomes: UnknownOutcomes
  pace: SendPace
  turns: ActTurns
  metrics: Metrics
  log: Log
}

export class ActRunner {
  readonly #deps: Deps
  /** Acts by id, from before their journal entry is written until their outcome is in it. */
  readonly #running = new Map<unknown, { instance: string; action?: ActionName; work: Promise<void> }>()
  /** By act id: refused before they came. */
  readonly #refusing = new Map<string, Promise<void>>()
  #stopping = false
  #lastSend: Send = () => undefined

  constructor(deps: Deps) {
    this.#deps = deps
    deps.unknownOutcomes.onResolved((known) => this.#lastSend({ t: 'outcome', ...known }))
  }

  /** `lateMs`: how long the act may have waited unread; its budget is reduced by it. */
  async runAct(act: Act, lateMs: number, send: Send): Promise<void> {
    const { log } = this.#deps
    this.#lastSend = send
    const budgetMs = act.budget - lateMs
    if (this.#refusing.has(act.id)) await this.#refusing.get(act.id)
    if (this.#running.has(act.id)) return
    const why = this.#findHindrance(budgetMs)
    if (why) {
      log.warn({ act: act.id, action: act.action, ...describeRequest(act), why }, 'act not started')
      return send({ t: 'not_started', id: act.id, instance: act.instance })
    }
    const work = this.#startInTurn(act, budgetMs, send)
      .catch((error) => {
        // Such as an id that is in the journal already: a repeated act is not run again. Whatever threw, the journal says what became of it.
        log.error({ act: act.id, error }, 'act threw: its outcome is what the journal has')
        return this.#sendStored(act.id, send)
      })
      .finally(() => this.#running.delete(act.id))
    this.#running.set(act.id, { instance: act.instance, action: act.action, work })
    await work
  }

  /** Sends the outcome of an act, or that it was not started. Sends nothing while it is running. */
  async sendQueriedOutcome(id: string, send: Send): Promise<void> {
    if (!this.#running.has(id)) await this.#sendStored(id, send)
  }

  /** The same, but an act that was not started is not started any more, even if it comes after this. */
  async refuseUnstarted(act: { id: string; instance: string }, send: Send): Promise<void> {
    const { journal, log } = this.#deps
    const { id } = act
    if (this.#running.has(id)) return
    if (!(await journal.findAct(id)) && !this.#running.has(id)) {
      const refusing = journal
        .refuseAct(act)
        .catch((error) => log.warn({ act: id, error }, 'failed to refuse an act ahead'))
        .finally(() => this.#refusing.delete(id))
      this.#refusing.set(id, refusing)
      await refusing
    }
    await this.sendQueriedOutcome(id, send)
  }

  async #sendStored(id: string, send: Send): Promise<void> {
    const row = await this.#deps.journal.findAct(id)
    if (!row) return send({ t: 'not_started', id })
    if (isRefusedAhead(row)) return send({ t: 'not_started', id, never: true })
    // An entry without an outcome: the act ended while the journal could not be written.
    const outcome = row.outcome ?? createUnknownOutcome('the outcome could not be stored')
    send({ t: 'outcome', id, outcome, instance: row.instance })
  }

  /** Outcomes that the edge has not seen. */
  async resendOutcomes(send: Send): Promise<void> {
    this.#lastSend = send
    for (const unseen of await this.#deps.journal.listUnseen()) send({ t: 'outcome', ...unseen })
  }

  deleteSeen(ids: string[]): Promise<void> {
    return this.#deps.journal.deleteSeen(ids)
  }

  /** Work of an instance that counts as an act: whoever waits for its acts waits for it too. */
  trackWork(instance: string, work: Promise<unknown>): void {
    this.#running.set(work, { instance, work: work.then(() => void this.#running.delete(work)) })
  }

  /** Waits for the running acts of an instance, at most `MAX_WAIT_MS`, because others wait for its session. */
  waitForInstance(instance: string): Promise<void> {
    return this.#waitForActs((other) => other === instance)
  }

  /** Takes no more acts, and waits for all running ones, at most as long. */
  stop(): Promise<void> {
    this.#stopping = true
    return this.#waitForActs(() => true)
  }

  async #waitForActs(isIncluded: (instance: string) => boolean): Promise<void> {
    const acts = [...this.#running.values()].filter(({ instance }) => isIncluded(instance))
    await withDeadline(Promise.all(acts.map(({ work }) => work)), MAX_WAIT_MS, () => undefined)
  }

  /** That ends its connection. One of several deletions at once may end before the others. */
  #isBeingDeleted(deleted: string): boolean {
    return [...this.#running.values()].some(
      ({ instance, action }) => instance === deleted && action === 'session.delete',
    )
  }

  #findHindrance(budgetMs: number): string | undefined {
    if (budgetMs <= 0) return 'past its budget'
    if (!this.#deps.lease.runs) return 'no lease'
    return this.#stopping ? 'host is stopping' : undefined
  }

  /** Sends have a rate of their own, and go first; acts of a session itself are few. */
  async #startInTurn(act: Act, budgetMs: number, send: Send): Promise<void> {
    const { id, instance, action, input } = act
    if (countSends(action, input) > 0 || action.startsWith('session.'))
      return this.#startAct(act, budgetMs, send)
    const startedAt = performance.now()
    const signal = AbortSignal.timeout(Math.ceil(budgetMs - computeTurnMargin(budgetMs)))
    const turn = await this.#deps.turns.takeTurn(instance, signal)
    if ('kind' in turn) return send({ t: 'outcome', id, outcome: turn, instance })
    await this.#startAct(act, budgetMs - (performance.now() - startedAt), send).finally(turn.end)
  }

  async #startAct(act: Act, budgetMs: number, send: Send): Promise<void> {
    const { journal } = this.#deps
    const { id, instance, action } = act
    const startedAt = performance.now()
    const sendOutcome = (outcome: Outcome) => send({ t: 'outcome', id, outcome, instance })
    const session = await this.#assignSession(act)
    // Nothing has begun, so there is no outcome to store.
    if ('kind' in session) return sendOutcome(isRepeated(action, session) ? wasDeleted : session)
    const sendAccepted = () => send({ t: 'accepted', id })
    const entry = isReadOnly(action) ? undefined : await openEntry(journal, act, sendAccepted)
    // An act that is not in the journal was not begun.
    if (entry && 'kind' in entry) return sendOutcome(entry)
    const messageid = readMessageid(act.input)
    if (entry && messageid === '') await entry.written
    this.#deps.pace.countSends(instance, countSends(action, act.input))

    const requests = createRequests(entry)
    const outcomeCommit = new OutcomeCommit((record) =>
      journal.buildOutcomeStatement(act.id, toOutcome(act.action, record)),
    )
    const leftMs = budgetMs - (performance.now() - startedAt)
    const endWatch = watchCallerWait(act, computeMargin(act.patience ?? 0), session, requests)
    const ended = await this.#runWithDeadline(session, act, leftMs, requests, outcomeCommit).finally(endWatch)
    const left = hasOwnEffects(action) ? ended : limitToWhatLeft(ended, requests)
    const fence = session.store.findFence(instance)
    const isDeleted = fence === 'deleted' || this.#isBeingDeleted(instance)
    const result = explainUnknown(limitToFence(left, fence), isDeleted)
    await this.#storeResult(act, entry, outcomeCommit, result)
    // If the entry could not be written, nothing of the act was sent to the network: its refusal is the outcome.
    const outcome = (await entry?.written) ?? result
    if (outcome.kind === 'unknown') await this.#trackUnknown(act)
    recordEnd(session, { action, messageid }, outcome)
    this.#recordOutcome(act, outcome, performance.now() - startedAt, requests.lastError)
    sendOutcome(outcome)
  }

  async #assignSession({ instance, epoch, input }: Act): Promise<Session | RefusedOutcome> {
    const { sessions, log } = this.#deps
    try {
      const session = await sessions.assignSession({ instance, epoch, kind: readKind(input) })
      return session ?? createRefusal('session_owned_elsewhere')
    } catch (error) {
      if (!(error instanceof FencedError)) log.error({ instance, error }, 'failed to store assignment')
      return refuseByStore(error)
    }
  }

  async #runWithDeadline(
    session: Session,
    act: Act,
    budgetMs: number,
    requests: TrackedRequests,
    outcomeCommit: OutcomeCommit,
  ): Promise<Outcome> {
    const { instance, action, input } = act
    const deadline = new AbortController()
    const turnDeadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), budgetMs - computeMargin(budgetMs))
    const turnTimer = setTimeout(() => turnDeadline.abort(), budgetMs - computeTurnMargin(budgetMs))
    const log = this.#deps.log.child({ instance, action, ...describeRequest(act) })
    try {
      const chats = act.chats && (await ChosenChats.create(session, act.chats))
      const context = createContext(this.#deps, act, {
        action,
        session,
        log,
        ...(chats && { chats }),
        requests,
        outcomeCommit,
        deadline: deadline.signal,
        turnDeadline: turnDeadline.signal,
        registerWork: (work) => this.trackWork(instance, work),
      })
      return await runAction(action, context, input)
    } catch (error) {
      return createThrownOutcome(error, { hasLeft: requests.hasLeft, log })
    } finally {
      clearTimeout(timer)
      clearTimeout(turnTimer)
    }
  }

  /** In the journal, unless the outcome was stored with the message. */
  async #storeResult(
    { id, instance }: Act,
    entry: JournalEntry | undefined,
    outcomeCommit: OutcomeCommit,
    result: Outcome,
  ): Promise<void> {
    const { journal, log } = this.#deps
    // A result for an entry that the store refused must not be stored: that would wait for the store once more.
    if (result.kind === 'refused') await turn()
    if (!entry || entry.failed || outcomeCommit.isStored) return
    crashIfArmed('before-outcome')
    // The outcome is sent even if it cannot be stored. A later query is answered with `unknown`, which does not contradict it.
    await journal
      .storeOutcome({ id, instance }, result)
      .catch((error) => log.error({ instance, act: id, error }, 'failed to store outcome'))
    crashIfArmed('after-outcome')
  }

  async #trackUnknown({ id, instance, action, input }: Act): Promise<void> {
    const { sessions, unknownOutcomes } = this.#deps
    const messageid = readMessageid(input)
    if (messageid === '') return
    unknownOutcomes.trackMessage(messageid, { id, instance, action })
    // The outcome may have become known while it was being written.
    const row = await sessions.findSession(instance)?.intake.findMessage(messageid)
    if (row) unknownOutcomes.resolveFromRecord(row.record)
  }

  /** For metrics and log. */
  #recordOutcome(act: Act, outcome: Outcome, ms: number, networkText: TrackedRequests['lastError']): void {
    const { metrics, log } = this.#deps
    const { id, instance, action } = act
    metrics.actions.inc({ action, outcome: outcome.kind })
    metrics.actionTime.observe({ action, outcome: outcome.kind }, ms / 1000)
    log.info(
      {
        ...describeRequest(act),
        instance,
        act: id,
        action,
        outcome: outcome.kind,
        why: outcome.kind === 'refused' ? outcome.fault : undefined,
        networkText: outcome.kind === 'done' ? undefined : networkText,
        ms: Math.round(ms),
      },
      'act',
    )
  }
}

/** The answer to a deletion was lost, and it is asked for once more. */
const isRepeated = (action: string, { fault }: RefusedOutcome): boolean =>
  action === 'session.delete' && fault === 'instance_not_found'
const wasDeleted = createDoneOutcome({ unlinked: false })

/**
 * Long enough for the outcome to reach the edge in time on a busy machine: what is known would be unknown to the caller. Short enough to
 * leave the network most of the budget.
 */
const computeMargin = (budgetMs: number): number => Math.min(1.5 * SECOND, budgetMs / 6)

/** Work that waits for its turn ends earlier: where many wait, a refusal takes longer to the edge. */
const computeTurnMargin = (budgetMs: number): number => Math.min(3 * SECOND, budgetMs / 3)

/**
 * When a caller has gone that waits less long than its act may take, the send is one that nobody awaits. Returns a function that ends the watch.
 * `marginMs`: the caller counts as gone so much earlier, so that no failure falls between.
 */
function watchCallerWait(
  { patience, input }: Act,
  marginMs: number,
  { intake }: Pick<Session, 'intake'>,
  requests: TrackedRequests,
): () => void {
  const messageid = readMessageid(input)
  if (patience === undefined || messageid === '') return () => undefined
  // As the journal has it: what is leaving may have left, though the network has not answered yet.
  let isLeaving = false
  const { onLeaving } = requests
  requests.onLeaving = () => {
    onLeaving()
    isLeaving = true
    intake.markLeft(messageid)
  }
  const timer = setTimeout(() => intake.endWait(messageid, () => isLeaving), patience - marginMs)
  return () => clearTimeout(timer)
}

const createRequests = (entry: JournalEntry | undefined): TrackedRequests => ({
  hasLeft: false,
  effectsLeft: 0,
  lastError: undefined,
  onLeaving: () => entry?.markLeft(),
  hasFailed: () => entry?.failed === true,
})

function runAction<Name extends ActionName>(
  name: Name,
  context: ActionContext,
  input: unknown,
): Promise<Outcome> | RefusedOutcome {
  if (!Object.hasOwn(actions, name))
    return createRefusal('session_conflict', 'The session host is too old to do this.')
  const parsed = actionInputs[name].safeParse(input)
  if (!parsed.success) return createRefusal('invalid_body', 'The session host cannot parse this request.')
  const data = parsed.data as ActionInput<Name>
  const run: Action<Name> = actions[name]
  return context.chats ? runConfined(name, run, context, context.chats, data) : run(context, data)
}
