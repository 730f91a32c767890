// Transfers bytes between a request and its host through the link object, while the act with the transfer's name runs.

import { withDeadline } from '@msgnet/shared/deadline.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { TRANSFER_END } from '@msgnet/shared/wire/transfer-end.ts'
import type { Context } from 'hono'
import type { EdgeEnv } from '../request/request-context.ts'
import { readActionTimeout } from '../settings/env.ts'
import type { InstanceRow } from '../store/instance-queries.ts'
import type { FileContent } from './file-content.ts'

/** Bytes of one piece. */
const PIECE_BYTES = 256 * 1024

/**
 * Runs `work` with the name under which the host can download the bytes, once. Throws the reason if the edge itself stopped
 * the transfer.
 */
export async function withUpload<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  content: FileContent,
  work: (transfer: string) => Promise<Result>,
): Promise<Result> {
  const transfer = crypto.randomUUID()
  const abortController = new AbortController()
  const { heldBytes } = c.var
  // The bytes are in memory until the host has them, which may be after the response.
  c.set('heldBytes', undefined)
  const endTransfer = () => {
    abortController.abort()
    heldBytes?.release()
  }
  let uploadError: unknown
  const stream = createWatchedStream(streamContent(content), {
    onError: (reason) => {
      uploadError = reason
    },
    onEnd: () => heldBytes?.release(),
    onCancel: () => content.stopSource(),
  })
  // If the host does not download it, it ends with the act. Nothing waits for this, and the outcome of the act says what failed.
  const uploaded = c.env.runtime
    .getLink(hostId)
    .uploadTransfer(transfer, stream, abortController.signal)
    .catch(() => false)
  c.executionCtx.waitUntil(uploaded)
  async function endAfterTimeout(): Promise<void> {
    await withDeadline(uploaded, readActionTimeout(c.env), () => undefined)
    endTransfer()
  }
  try {
    const result = await work(transfer)
    endTransfer()
    return result
  } catch (error) {
    if (isActRunning(c, error)) c.executionCtx.waitUntil(endAfterTimeout())
    else endTransfer()
    throw uploadError instanceof Fault ? uploadError : error
  }
}

/** Whether only the caller's wait has ended: the act continues and still needs its bytes. */
const isActRunning = ({ var: { answerBy } }: Context<EdgeEnv>, error: unknown): boolean =>
  answerBy !== undefined && error instanceof Fault && error.fault === 'outcome_unknown'

async function* streamContent(content: FileContent): AsyncGenerator<Uint8Array, void> {
  const body = content.takeBody()
  if (body instanceof Uint8Array) yield* splitBytes(body)
  else yield* body
  yield TRANSFER_END
}

/** The runtime copies each piece, so the pieces are small. */
function* splitBytes(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES)
}

interface Watch {
  onError(reason: unknown): void
  /** Called when nothing more is read from it, */
  onEnd(): void
  /** and if it is not read to its end. */
  onCancel(): void
}

/** A stream that is read on demand. `onError` is called with the reason if it fails. */
function createWatchedStream(source: AsyncGenerator<Uint8Array, void>, { onError, onEnd, onCancel }: Watch) {
  let chunks: AsyncGenerator<Uint8Array, void> | undefined = source
  const finishStream = () => {
    // The act may take long after it, and its file is needed no more.
    chunks = undefined
    onEnd()
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const next = await chunks?.next()
        if (next?.value) return controller.enqueue(next.value)
        finishStream()
        controller.close()
      } catch (reason) {
        finishStream()
        onError(reason)
        controller.error(reason)
      }
    },
    async cancel() {
      const rest = chunks
      finishStream()
      // Else it would be waited for: a generator ends with the piece that it is at.
      onCancel()
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
  const abortController = new AbortController()
  const downloaded = c.env.runtime.getLink(hostId).downloadTransfer(transfer, abortController.signal)
  // Awaited later: until then its failure must not count as unhandled.
  downloaded.catch(() => undefined)
  const uploaded = work(transfer)
  // The first of: the bytes, or the reason why there are none.
  const body = await Promise.race([downloaded, uploaded.then(() => downloaded)]).catch((error) => {
    abortController.abort()
    throw error
  })
  if (!body) throw new Fault('media_unavailable')
  return { body, uploaded }
}
