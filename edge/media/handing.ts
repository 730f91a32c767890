// Bytes between a request and its host, exchanged at the host's link while the act runs that names them.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import { PARCEL_END } from '../../shared/wire/parcel.ts'
import type { EdgeEnv } from '../context.ts'
import { actionTimeout } from '../env.ts'
import { linkOf } from '../hosts/links.ts'
import { parcelUrl } from '../routes/parcels.ts'
import type { InstanceRow } from '../store/instances.ts'

/**
 * Runs `work` with the name under which the host can collect them, once. Throws why they broke on their way, if we were
 * the ones who would not let them pass.
 */
export async function handing<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  work: (parcel: string) => Promise<Result>,
): Promise<Result> {
  const parcel = crypto.randomUUID()
  const over = new AbortController()
  let broken: unknown
  const whole = watched(wholly(body), (reason) => {
    broken = reason
  })
  const request = { method: 'PUT', body: whole, signal: over.signal }
  const brought = linkOf(c.env, hostId).fetch(parcelUrl(parcel), request)
  // What is not collected is given up with the act: nobody waits for this.
  c.executionCtx.waitUntil(brought.then((answer) => answer.body?.cancel()).catch(() => undefined))
  async function giveUp(): Promise<void> {
    const limit = Promise.withResolvers<void>()
    const timer = setTimeout(limit.resolve, actionTimeout(c.env))
    await Promise.race([Promise.allSettled([brought]), limit.promise])
    clearTimeout(timer)
    over.abort()
  }
  try {
    const result = await work(parcel)
    over.abort()
    return result
  } catch (refusal) {
    if (goesOn(c, refusal)) c.executionCtx.waitUntil(giveUp())
    else over.abort()
    throw broken instanceof Fault ? broken : refusal
  }
}

/** The caller did not want to wait for the act, which still wants its bytes. */
const goesOn = ({ var: { answerBy } }: Context<EdgeEnv>, refusal: unknown): boolean =>
  answerBy !== undefined && refusal instanceof Fault && refusal.fault === 'outcome_unknown'

async function* wholly(body: Uint8Array | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  if (body instanceof Uint8Array) yield body
  else yield* body
  yield PARCEL_END
}

/** As it is asked for; `breaks` hears why there is no more. */
function watched(chunks: AsyncGenerator<Uint8Array, void>, breaks: (reason: unknown) => void) {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      } catch (reason) {
        breaks(reason)
        controller.error(reason)
      }
    },
    async cancel() {
      await chunks.return()
    },
  })
}

/** The bytes that `work` makes the host bring, as soon as they begin to come; `brought` tells whether they were whole. */
export async function collecting<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  work: (parcel: string) => Promise<Result>,
): Promise<{ body: ReadableStream<Uint8Array>; brought: Promise<Result> }> {
  const parcel = crypto.randomUUID()
  const over = new AbortController()
  const collected = linkOf(c.env, hostId).fetch(parcelUrl(parcel), { signal: over.signal })
  collected.catch(() => undefined)
  const brought = work(parcel)
  // Whichever is first: the bytes, or the reason why there will be none.
  const answer = await Promise.race([collected, brought.then(() => collected)]).catch((error) => {
    over.abort()
    throw error
  })
  if (!answer.ok || !answer.body) throw new Fault('media_unavailable')
  return { body: answer.body, brought }
}
