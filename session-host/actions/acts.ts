// Acts from the edge: each is journalled, then accepted, then run once; its outcome is kept until the edge has seen it.

import { setImmediate as turn } from 'node:timers/promises'
import { SECOND } from '../../shared/clock.ts'
import { withDeadline } from '../../shared/deadline.ts'
import { causeIn } from '../../shared/trace.ts'
import { type ActionInput, type ActionName, actionInputs, onlyLooks } from '../../shared/wire/actions.ts'
import type { Act, HostFrame } from '../../shared/wire/frames.ts'
import { type Outcome, type Refused, refused, unknown } from '../../shared/wire/outcome.ts'
import { crashPoint } from '../crash.ts'
import { type Requests, watched } from '../driver/requests.ts'
import type { Lease } from '../lease.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import type { Session } from '../sessions/session.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Settling } from '../sessions/settling.ts'
import { storeFaultIn } from '../store/fault.ts'
import type { Journal } from '../store/journal.ts'
import { askedBy, kindOf, messageidOf } from './act-facts.ts'
import type { ActionContext } from './action.ts'
import { actions } from './actions.ts'
import { openEntry } from './journal-entry.ts'
import type { Transfers } from './transfers.ts'
import { outcomeOf, type UnknownOutcomes } from './unknown-outcomes.ts'

export type Send = (frame: HostFrame) => void

/** How long running acts may take to end before their sockets are closed. */
const WAITED_MS = 5 * SECOND

export interface Acts {
  /** `lateMs`: how long the act may have waited unread; its budget is reduced by it. */
  take(act: Act, lateMs: number, send: Send): Promise<void>
  /** Answers a query for an act with its outcome, or that it was not started. Sends no answer while it is running. */
  answerQuery(id: string, send: Send): Promise<void>
  /** Outcomes that the edge has not seen. */
  resendOutcomes(send: Send): Promise<void>
  seen(ids: string[]): void
  /** Waits for the running acts of an instance, at most `WAITED_MS`, because others wait for its session. */
  quiet(instance: string): Promise<void>
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

export function makeActs({ sessions, lease, journal, unknownOutcomes, transfers, metrics, log }: Deps): Acts {
  /** Acts by id, from before their journal entry is written until their outcome is in it. */
  const running = new Map<unknown, { instance: string; work: Promise<void> }>()
  let stopping = false
  let lastSend: Send = () => undefined
  unknownOutcomes.onResolved((known) => lastSend({ t: 'outcome', ...known }))

  async function ended(of: (instance: string) => boolean): Promise<void> {
    const works = [...running.values()].flatMap(({ instance, work }) => (of(instance) ? [work] : []))
    await withDeadline(Promise.all(works), WAITED_MS, () => undefined)
  }

  async function sessionOf({ instance, epoch, input }: Act): Promise<Session | Refused> {
    try {
      const session = await sessions.assigned({ instance, epoch, kind: kindOf(input) })
      return session ?? refused('session_owned_elsewhere')
    } catch (thrown) {
      log.error({ instance, err: thrown }, 'an assignment could not be kept')
      return refused('storage_unavailable', storeFaultIn(thrown)?.message)
    }
  }

  async function run(
    session: Session,
    act: Act,
    budgetMs: number,
    requests: Requests,
    settling: Settling,
  ): Promise<Outcome> {
    const { instance, action, input } = act
    const deadline = new AbortController()
    const timer = setTimeout(() => deadline.abort(), budgetMs - marginOf(budgetMs))
    const context: ActionContext = {
      ...{ session, sessions, requests, transfers, settling },
      ...{ deadline: deadline.signal, cause: causeIn(act) },
      log: log.child({ instance, action, ...askedBy(act) }),
      keepRunning(work) {
        running.set(work, { instance, work: work.then(() => void running.delete(work)) })
      },
      get network() {
        return session.network && watched(session.network, requests)
      },
    }
    try {
      return await runAction(action, context, input)
    } catch (thrown) {
      log.error({ instance, action, ...askedBy(act), err: thrown }, 'an action failed')
      // The network's failures are answers, so an exception comes from our own store or from a fault in the code.
      if (requests.begun) return unknown('The network was asked, and what became of it could not be stored.')
      return refused('storage_unavailable', storeFaultIn(thrown)?.message)
    } finally {
      clearTimeout(timer)
    }
  }

  async function begin(act: Act, budgetMs: number, send: Send): Promise<void> {
    const { id, instance, action } = act
    const started = performance.now()
    const answer = (outcome: Outcome) => send({ t: 'outcome', id, outcome, instance })
    const session = await sessionOf(act)
    // Nothing has begun, so there is no outcome to store.
    if ('kind' in session) return answer(session)
    const accept = () => send({ t: 'accepted', id })
    const entry = onlyLooks(action) ? undefined : await openEntry(journal, act, accept)
    // An act that is not in the journal was not begun.
    if (entry && 'kind' in entry) return answer(entry)
    const makesMessage = messageidOf(act.input) !== ''
    if (entry && !makesMessage) await entry.written

    const requests: Requests = { begun: false, why: undefined }
    const settling = settlingOf(act)
    const result = await run(session, act, budgetMs, requests, settling)
    // An entry that the store refused must not be settled: that would wait for the store once more.
    if (result.kind === 'refused') await turn()
    if (entry && !entry.lost && !settling.settled) {
      crashPoint('before-outcome')
      // The outcome is sent even if it cannot be stored. A later query then answers `unknown`, which does not contradict it.
      await journal.settle({ id, instance }, result).catch(unkept(act))
      crashPoint('after-outcome')
    }
    // If the entry could not be written, nothing of the act was sent to the network: its refusal is the outcome.
    const outcome = (await entry?.written) ?? result
    if (outcome.kind === 'unknown') await track(act)
    if (outcome.kind === 'refused') session.intake.refused(action, outcome.providerCode, makesMessage)
    measure(act, outcome, performance.now() - started, requests.why)
    answer(outcome)
  }

  /** For metrics and log. `said`: the network's own text. */
  function measure(act: Act, outcome: Outcome, tookMs: number, said: Requests['why']): void {
    const { id, instance, action } = act
    metrics.actions.inc({ action, outcome: outcome.kind })
    metrics.actionTime.observe({ action, outcome: outcome.kind }, tookMs / 1000)
    const why = outcome.kind === 'refused' ? outcome.fault : undefined
    const what = { ...askedBy(act), instance, act: id, action, outcome: outcome.kind, why }
    const inWords = outcome.kind === 'done' ? undefined : said
    log.info({ ...what, said: inWords, ms: Math.round(tookMs) }, 'act')
  }

  function settlingOf({ id, action }: Act): Settling {
    let settled = false
    return {
      get settled() {
        return settled
      },
      statement(record) {
        crashPoint('before-outcome')
        return journal.settlement(id, outcomeOf(action, record))
      },
      done() {
        crashPoint('after-outcome')
        settled = true
      },
    }
  }

  const unkept = (act: Act) => (thrown: unknown) =>
    log.error({ instance: act.instance, act: act.id, err: thrown }, 'an outcome is not in the journal')

  async function track({ id, instance, action, input }: Act): Promise<void> {
    const messageid = messageidOf(input)
    if (messageid === '') return
    unknownOutcomes.track(messageid, { id, instance, action })
    // The outcome may have become known while it was being written.
    const row = await sessions.find(instance)?.intake.find(messageid)
    if (row) unknownOutcomes.resolveFrom(row.record)
  }

  return {
    async take(act, lateMs, send) {
      lastSend = send
      const budget = act.budget - lateMs
      if (running.has(act.id)) return
      const why = budget <= 0 ? 'past its budget' : lease.runs ? stopping && 'too late' : 'without a lease'
      if (why) {
        log.warn({ act: act.id, action: act.action, ...askedBy(act) }, `an act came ${why} and was not begun`)
        return send({ t: 'not_started', id: act.id })
      }
      const work = begin(act, budget, send)
        .catch((thrown) => log.error({ act: act.id, err: thrown }, 'an act was not begun: its id is taken'))
        .finally(() => running.delete(act.id))
      running.set(act.id, { instance: act.instance, work })
      await work
    },
    async answerQuery(id, send) {
      if (running.has(id)) return
      const row = await journal.find(id)
      if (!row) return send({ t: 'not_started', id })
      // An entry without an outcome: the act ended while the journal could not be written.
      const outcome = row.outcome ?? unknown('the outcome could not be stored')
      send({ t: 'outcome', id, outcome, instance: row.instance })
    },
    async resendOutcomes(send) {
      lastSend = send
      for (const unseen of await journal.unseen()) send({ t: 'outcome', ...unseen })
    },
    seen: (ids) => journal.forget(ids),
    quiet: (instance) => ended((other) => other === instance),
    stop() {
      stopping = true
      return ended(() => true)
    },
  }
}

/** Long enough for the outcome to reach the edge in time, short enough to leave the network most of the budget. */
const marginOf = (budgetMs: number): number => Math.min(500, budgetMs / 10)

function runAction<Name extends ActionName>(
  name: Name,
  context: ActionContext,
  input: unknown,
): Promise<Outcome> | Refused {
  if (!Object.hasOwn(actions, name))
    return refused('session_conflict', 'The session host is too old to do this.')
  const parsed = actionInputs[name].safeParse(input)
  if (!parsed.success) return refused('invalid_body', 'The session host does not read this request.')
  return actions[name](context, parsed.data as ActionInput<Name>)
}
