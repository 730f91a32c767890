// Bytes of a request, left with the link of its host for as long as the act runs that names them.

import type { Context } from 'hono'
import type { EdgeEnv } from '../env.ts'
import { linkOf } from '../hosts/dispatch.ts'
import { parcelUrl } from '../routes/parcels.ts'
import type { InstanceRow } from '../store/instances.ts'

/** Runs `work` with the name under which the host can collect them, once. */
export async function handing<Result>(
  c: Context<EdgeEnv>,
  { hostId }: InstanceRow,
  bytes: Uint8Array<ArrayBuffer>,
  work: (parcel: string) => Promise<Result>,
): Promise<Result> {
  const parcel = crypto.randomUUID()
  const over = new AbortController()
  const request = { method: 'PUT', body: bytes, signal: over.signal }
  const brought = linkOf(c.env, hostId).fetch(parcelUrl(parcel), request)
  // What is not collected is given up with the act: nobody waits for this.
  c.executionCtx.waitUntil(brought.then((answer) => answer.body?.cancel()).catch(() => undefined))
  try {
    return await work(parcel)
  } finally {
    over.abort()
  }
}
