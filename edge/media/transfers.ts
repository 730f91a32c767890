// Transfers bytes between a request and its host through the link object, while the act that names them runs.

import type { Context } from 'hono'
import { withDeadline } from '../../shared/deadline.ts'
import { Fault } from '../../shared/faults.ts'
import { TRANSFER_END } from '../../shared/wire/transfer-end.ts'
import type { EdgeEnv } from '../context.ts'
import { actionTimeout } from '../env.ts'
import { linkOf, transferUrl } from '../hosts/links.ts'
import type { InstanceRow } from '../store/instances.ts'

/**
 * Runs `work` with the name under which the host can download the bytes, once. Throws the reason if the edge itself stopped
 * the transfer.
 */
export async function withUpload<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  work: (transfer: string) => Promise<Result>,
): Promise<Result> {
  const transfer = crypto.randomUUID()
  const over = new AbortController()
  let broken: unknown
  const whole = watched(wholly(body), (reason) => {
    broken = reason
  })
  const request = { method: 'PUT', body: whole, signal: over.signal }
  const uploaded = linkOf(c.env, hostId).fetch(transferUrl(transfer), request)
  // If the host does not download it, it ends with the act. Nothing waits for this.
  c.executionCtx.waitUntil(uploaded.then((answer) => answer.body?.cancel()).catch(() => undefined))
  async function giveUp(): Promise<void> {
    await withDeadline(Promise.allSettled([uploaded]), actionTimeout(c.env), () => undefined)
    over.abort()
  }
  try {
    const result = await work(transfer)
    over.abort()
    return result
  } catch (refusal) {
    if (goesOn(c, refusal)) c.executionCtx.waitUntil(giveUp())
    else over.abort()
    throw broken instanceof Fault ? broken : refusal
  }
}

/** Whether only the caller's wait has ended: the act goes on and still needs its bytes. */
const goesOn = ({ var: { answerBy } }: Context<EdgeEnv>, refusal: unknown): boolean =>
  answerBy !== undefined && refusal instanceof Fault && refusal.fault === 'outcome_unknown'

async function* wholly(body: Uint8Array | ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  if (body instanceof Uint8Array) yield body
  else yield* body
  yield TRANSFER_END
}

/** A stream that is read on demand; `breaks` gets the reason if it fails. */
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

/** Returns the bytes that the host uploads during `work` when they begin to arrive. `uploaded` is the result of `work`. */
export async function withDownload<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  work: (transfer: string) => Promise<Result>,
): Promise<{ body: ReadableStream<Uint8Array>; uploaded: Promise<Result> }> {
  const transfer = crypto.randomUUID()
  const over = new AbortController()
  const downloaded = linkOf(c.env, hostId).fetch(transferUrl(transfer), { signal: over.signal })
  downloaded.catch(() => undefined)
  const uploaded = work(transfer)
  // The first of: the bytes, or the reason why there are none.
  const answer = await Promise.race([downloaded, uploaded.then(() => downloaded)]).catch((error) => {
    over.abort()
    throw error
  })
  if (!answer.ok || !answer.body) throw new Fault('media_unavailable')
  return { body: answer.body, uploaded }
}
