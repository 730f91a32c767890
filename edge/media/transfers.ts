// Transfers bytes between a request and its host through the link object, while the act that names them runs.

import type { Context } from 'hono'
import { withDeadline } from '../../shared/deadline.ts'
import { Fault } from '../../shared/faults.ts'
import { TRANSFER_END } from '../../shared/wire/transfer-end.ts'
import type { EdgeEnv } from '../context.ts'
import { actionTimeout } from '../env.ts'
import type { InstanceRow } from '../store/instances.ts'
import type { Content } from './content.ts'

/** Bytes that are passed on at a time. */
const PIECE = 256 * 1024

/**
 * Runs `work` with the name under which the host can download the bytes, once. Throws the reason if the edge itself stopped
 * the transfer.
 */
export async function withUpload<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  content: Content,
  work: (transfer: string) => Promise<Result>,
): Promise<Result> {
  const transfer = crypto.randomUUID()
  const over = new AbortController()
  const { held } = c.var
  // They are in memory until the host has them, which may be after the answer.
  c.set('held', undefined)
  const end = () => {
    over.abort()
    held?.release()
  }
  let broken: unknown
  const watch: Watch = {
    breaks(reason) {
      broken = reason
    },
    ends: () => held?.release(),
  }
  // If the host does not download it, it ends with the act. Nothing waits for this.
  const uploaded = c.env.runtime
    .link(hostId)
    .upload(transfer, watched(wholly(content), watch), over.signal)
    .catch(() => false)
  c.executionCtx.waitUntil(uploaded)
  async function giveUp(): Promise<void> {
    await withDeadline(uploaded, actionTimeout(c.env), () => undefined)
    end()
  }
  try {
    const result = await work(transfer)
    end()
    return result
  } catch (refusal) {
    if (goesOn(c, refusal)) c.executionCtx.waitUntil(giveUp())
    else end()
    throw broken instanceof Fault ? broken : refusal
  }
}

/** Whether only the caller's wait has ended: the act goes on and still needs its bytes. */
const goesOn = ({ var: { answerBy } }: Context<EdgeEnv>, refusal: unknown): boolean =>
  answerBy !== undefined && refusal instanceof Fault && refusal.fault === 'outcome_unknown'

async function* wholly(content: Content): AsyncGenerator<Uint8Array, void> {
  const body = content.take()
  if (body instanceof Uint8Array) yield* pieces(body)
  else yield* body
  yield TRANSFER_END
}

/** The runtime copies what it is given, so it is given a little at a time. */
function* pieces(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE) yield bytes.subarray(at, at + PIECE)
}

interface Watch {
  /** Called with the reason if the stream fails. */
  breaks(reason: unknown): void
  /** Called when nobody will read on. */
  ends(): void
}

/** A stream that is read on demand. */
function watched(given: AsyncGenerator<Uint8Array, void>, { breaks, ends }: Watch) {
  let chunks: AsyncGenerator<Uint8Array, void> | undefined = given
  const finish = () => {
    // The act may take long after it, and its file is needed no more.
    chunks = undefined
    ends()
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await chunks?.next()
        if (next?.value) return controller.enqueue(next.value)
        finish()
        controller.close()
      } catch (reason) {
        finish()
        breaks(reason)
        controller.error(reason)
      }
    },
    async cancel() {
      const rest = chunks
      finish()
      await rest?.return()
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
  const downloaded = c.env.runtime.link(hostId).download(transfer, over.signal)
  downloaded.catch(() => undefined)
  const uploaded = work(transfer)
  // The first of: the bytes, or the reason why there are none.
  const body = await Promise.race([downloaded, uploaded.then(() => downloaded)]).catch((error) => {
    over.abort()
    throw error
  })
  if (!body) throw new Fault('media_unavailable')
  return { body, uploaded }
}
