// Outcomes of acts: they answer the waiting request, and are stored under its key or for a later recall.

import type { Statement } from '../../shared/db/statements.ts'
import type { Act, HostFrame } from '../../shared/wire/frames.ts'
import type { Outcome } from '../../shared/wire/outcome.ts'
import { SessionState } from '../../shared/wire/session-state.ts'
import type { Env } from '../env.ts'
import { log, reasonOf } from '../log.ts'
import { sealState } from '../pairings.ts'
import type { HostSocket } from '../runtime.ts'
import type { Store } from '../store/database/database.ts'
import { persist } from '../store/database/persist.ts'
import { keptAnswer } from '../store/kept-answers.ts'
import { keepLateOutcome } from '../store/late-outcomes.ts'
import { keepState } from '../store/states.ts'
import type { Pending } from './pending.ts'
import { send } from './socket.ts'

interface OutcomeContext {
  env: Env
  host: string
  store: Store
  pending: Pending
  later(work: Promise<unknown>): void
}

/** An outcome that answers its request, and the statement that stores the answer under the request's key. */
export interface Settled {
  id: string
  outcome: Outcome
  keeps: Statement
}

/** Finds them among the frames of a message. The other outcomes are handled one by one. */
export async function settledBy(context: OutcomeContext, frames: HostFrame[]): Promise<Settled[]> {
  const settled: Settled[] = []
  for (const frame of frames) {
    if (frame.t !== 'outcome' || frame.outcome.kind !== 'done') continue
    const keeps = await keptBy(context, frame.id, frame.outcome.result)
    if (keeps) settled.push({ id: frame.id, outcome: frame.outcome as Outcome, keeps })
  }
  return settled
}

async function keptBy({ env, host, pending }: OutcomeContext, id: string, result: unknown) {
  const { keeping } = pending.find(id) ?? {}
  if (!keeping) return undefined
  try {
    const body = JSON.stringify(keeping.always ?? result)
    if (body === undefined) return undefined
    const keeps = await keptAnswer(env, keeping.owned, 200, body)
    pending.arrived(id)
    return keeps
  } catch (error) {
    // A bad result concerns its own request only and must not break the link.
    log(env, 'warn', 'answer not kept by the link', { host, act: id, reason: reasonOf(error) })
    return undefined
  }
}

/** Stores their answers in a separate write. */
export async function keepSettled(
  context: OutcomeContext,
  socket: HostSocket,
  settled: Settled[],
): Promise<void> {
  try {
    await context.store.write(settled.map(({ keeps }) => keeps))
    answerSettled(context, socket, settled, true)
  } catch (error) {
    log(context.env, 'warn', 'answers not kept yet', { host: context.host, reason: reasonOf(error) })
    answerSettled(context, socket, settled, false)
  }
}

/** Answers the requests even if the database is not reachable: what is not `kept` yet is stored when the database is back. */
export function answerSettled(
  { env, host, later, pending, store }: OutcomeContext,
  socket: HostSocket,
  settled: Settled[],
  kept: boolean,
): void {
  if (settled.length === 0) return
  for (const { id, outcome } of settled) pending.resolve(id, { ...outcome, kept: true })
  // Sent only after the write: if this edge dies before, the host sends the outcome again.
  const seen = () => {
    send(
      socket,
      settled.map(({ id }) => ({ t: 'seen', id })),
    )
  }
  const failed = (error: unknown) => log(env, 'error', 'answers not kept', { host, reason: reasonOf(error) })
  if (kept) seen()
  else
    later(
      persist(
        store,
        settled.map(({ keeps }) => keeps),
      ).then(seen, failed),
    )
}

type OutcomeFrame = Extract<HostFrame, { t: 'outcome' }>

export async function takeOutcome(context: OutcomeContext, frame: OutcomeFrame): Promise<void> {
  const { id, instance } = frame
  const outcome = frame.outcome as Outcome
  const act = context.pending.find(id)?.act
  if (!act) return keepLateOutcome(context.env, context.store, { act: id, instance, outcome })
  await keepOutcomeState(context, act, outcome)
  context.pending.resolve(id, outcome)
}

/** A status read after the answer must not be older than the answer. */
async function keepOutcomeState(context: OutcomeContext, act: Act, outcome: Outcome): Promise<void> {
  if (!act.action.startsWith('session.') || outcome.kind !== 'done') return
  const result = outcome.result as { state?: unknown } | null
  const { data: state } = SessionState.safeParse(result?.state ?? result)
  if (!state) return
  const sealed = await sealState(context.env, { instance: act.instance, epoch: act.epoch, state })
  await context.store.write([keepState(context.store, context.host, sealed)])
}
