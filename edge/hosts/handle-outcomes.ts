// Outcomes of acts: they answer the waiting request, and are stored for its key or for a later recall.

import type { Statement } from '@msgnet/shared/db/prepared-queries.ts'
import type { Act, HostFrame } from '@msgnet/shared/wire/link-frames.ts'
import { createRefusal, type Outcome } from '@msgnet/shared/wire/outcome.ts'
import { SessionState } from '@msgnet/shared/wire/session-state.ts'
import { KeyStore } from '../idempotency/key-store.ts'
import { storeLateOutcome, storeUntilAnswered } from '../idempotency/late-outcomes.ts'
import { log } from '../observability/edge-log.ts'
import type { HostSocket } from '../runtime/runtime.ts'
import { sealState } from '../sealed/pairings.ts'
import type { Env } from '../settings/env.ts'
import type { Store } from '../store/database/open-store.ts'
import { writeWithRetries } from '../store/database/write-with-retries.ts'
import { storeState } from '../store/state-queries.ts'
import { sendFrames } from './host-socket.ts'
import type { PendingActs } from './pending-acts.ts'

interface OutcomeContext {
  env: Env
  host: string
  store: Store
  pending: PendingActs
  runInBackground(work: Promise<unknown>): void
}

/** An outcome that answers its request, and the statement that stores the response for the request's key. */
export interface KeyedOutcome {
  id: string
  outcome: Outcome
  responseWrite: Statement
}

/** Finds them among the frames of a message. The other outcomes are handled one by one. */
export async function findKeyedOutcomes(
  context: OutcomeContext,
  frames: HostFrame[],
): Promise<KeyedOutcome[]> {
  const found: KeyedOutcome[] = []
  for (const frame of frames) {
    if (frame.t !== 'outcome' || frame.outcome.kind !== 'done') continue
    const responseWrite = await buildResponseWrite(context, frame.id, frame.outcome.result)
    if (responseWrite) found.push({ id: frame.id, outcome: frame.outcome as Outcome, responseWrite })
  }
  return found
}

async function buildResponseWrite(
  { env, host, pending, store }: OutcomeContext,
  id: string,
  result: unknown,
): Promise<Statement | undefined> {
  const { keyedResponse } = pending.find(id) ?? {}
  if (!keyedResponse || keyedResponse.byRequest) return undefined
  try {
    const body = JSON.stringify(keyedResponse.response ?? result)
    if (body === undefined) return undefined
    const responseWrite = await new KeyStore(env, store).storeResponse(keyedResponse.owner, 200, body)
    pending.stopTimeout(id)
    return responseWrite
  } catch (error) {
    // A bad result concerns its own request only and must not break the link.
    log(env, 'warn', 'failed to build response', { host, act: id, error })
    return undefined
  }
}

/** Stores their responses in a separate write. */
export async function storeKeyedOutcomes(
  context: OutcomeContext,
  socket: HostSocket,
  keyedOutcomes: KeyedOutcome[],
): Promise<void> {
  try {
    await context.store.write(keyedOutcomes.map(({ responseWrite }) => responseWrite))
    answerKeyedOutcomes(context, socket, keyedOutcomes, true)
  } catch (error) {
    log(context.env, 'warn', 'failed to store responses', { host: context.host, error })
    answerKeyedOutcomes(context, socket, keyedOutcomes, false)
  }
}

/** Answers the requests even if the database is not reachable: responses that are not stored yet are stored when it is back. */
export function answerKeyedOutcomes(
  { env, host, runInBackground, pending, store }: OutcomeContext,
  socket: HostSocket,
  keyedOutcomes: KeyedOutcome[],
  isStored: boolean,
): void {
  if (keyedOutcomes.length === 0) return
  for (const { id, outcome } of keyedOutcomes) pending.resolve(id, { ...outcome, isStored: true })
  // Sent only after the write: if this edge dies before, the host sends the outcome again.
  const acknowledgeOutcomes = () => {
    sendFrames(
      socket,
      keyedOutcomes.map(({ id }) => ({ t: 'seen', id })),
    )
  }
  const logWriteFailure = (error: unknown) =>
    log(env, 'error', 'failed to store responses after retries', { host, error })
  if (isStored) acknowledgeOutcomes()
  else
    runInBackground(
      writeWithRetries(
        store,
        keyedOutcomes.map(({ responseWrite }) => responseWrite),
      ).then(acknowledgeOutcomes, logWriteFailure),
    )
}

type OutcomeFrame = Extract<HostFrame, { t: 'outcome' }>

/** Confirms the outcome to the host, which forgets the act then: not before it is stored here, if its request has a key. */
export async function handleOutcome(
  context: OutcomeContext,
  socket: HostSocket,
  frame: OutcomeFrame,
): Promise<void> {
  const { env, host, pending, runInBackground, store } = context
  const { id, instance } = frame
  const late = { act: id, instance, outcome: frame.outcome as Outcome }
  const confirmOutcome = () => sendFrames(socket, [{ t: 'seen', id }])
  const { act, keyedResponse } = pending.find(id) ?? {}
  if (!act) await storeLateOutcome(env, store, late)
  else {
    await storeOutcomeState(context, act, late.outcome)
    pending.resolve(id, late.outcome)
  }
  if (!act || !keyedResponse || late.outcome.kind !== 'done') return void confirmOutcome()
  const logFailure = (error: unknown) => log(env, 'warn', 'failed to store outcome', { host, act: id, error })
  runInBackground(storeUntilAnswered(env, store, late, keyedResponse.owner).then(confirmOutcome, logFailure))
}

const cameTooLate = createRefusal(
  'msgnet_unreachable',
  'The session host got this too late, and did nothing.',
)

/** If its caller has gone, the key has a 504: the next request with it learns that nothing was done, and the key is free again. */
export async function handleNotStarted(
  { env, store, pending }: OutcomeContext,
  { id, instance, never }: Extract<HostFrame, { t: 'not_started' }>,
): Promise<void> {
  if (instance === undefined || pending.find(id)) return pending.resolveNotStarted(id, never)
  await storeLateOutcome(env, store, { act: id, instance, outcome: cameTooLate })
}

/** A status read after the response must not be older than the response. */
async function storeOutcomeState(context: OutcomeContext, act: Act, outcome: Outcome): Promise<void> {
  if (!act.action.startsWith('session.') || outcome.kind !== 'done') return
  const result = outcome.result as { state?: unknown } | null
  const { data: state } = SessionState.safeParse(result?.state ?? result)
  if (!state) return
  const sealed = await sealState(context.env, { instance: act.instance, epoch: act.epoch, state })
  await context.store.write([storeState(context.store, context.host, sealed)])
}
