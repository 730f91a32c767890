// Bytes between a request and its host, exchanged at the host's link while the act runs that names them.

import type { Context } from 'hono'
import { Fault } from '../../shared/faults.ts'
import type { EdgeEnv } from '../env.ts'
import { linkOf } from '../hosts/links.ts'
import { parcelUrl } from '../routes/parcels.ts'
import type { InstanceRow } from '../store/instances.ts'

/** Runs `work` with the name under which the host can collect them, once. */
export async function handing<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  work: (parcel: string) => Promise<Result>,
): Promise<Result> {
  const parcel = crypto.randomUUID()
  const over = new AbortController()
  const request = { method: 'PUT', body, signal: over.signal }
  const brought = linkOf(c.env, hostId).fetch(parcelUrl(parcel), request)
  // What is not collected is given up with the act: nobody waits for this.
  c.executionCtx.waitUntil(brought.then((answer) => answer.body?.cancel()).catch(() => undefined))
  try {
    return await work(parcel)
  } finally {
    over.abort()
  }
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
