// Opens the event stream of an instance, for programs without a public HTTPS address.

import type { Context } from 'hono'
import { parseInteger } from '../http/parse-query.ts'
import type { Handlers } from '../http/serve-route.ts'
import { countUse } from '../http/token-rates.ts'
import type { StreamListener } from '../objects/objects.ts'
import { type EdgeEnv, findCredential } from '../request/request-context.ts'

export const streamHandlers = {
  streamEvents: (c) => openStream(c),
} satisfies Partial<Handlers>

/** That of the caller, unless it asks for the contract's. */
function chooseFormat({ env, req }: Context<EdgeEnv>) {
  const { dialect, dialects } = env
  const asksForContract = dialect.requestsContract(req.raw.headers)
  return dialects.toStored(asksForContract ? 'contract' : dialect.format.name)
}

const STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // A proxy must not buffer the stream.
  'x-accel-buffering': 'no',
}

/** `events`: only those of these names. */
export async function openStream(c: Context<EdgeEnv>, events?: string[]): Promise<Response> {
  const { id: instanceId, lastSeq } = c.var.instance
  const { tokenHash } = c.var
  const { grant } = c.var.actor
  // A reader that has seen no event yet sends an empty one.
  const lastEventId = c.req.header('last-event-id') || undefined
  const seenSeq = parseInteger('Last-Event-ID', lastEventId, { min: 0, fault: 'invalid_query' }) ?? lastSeq
  countUse(c, 'STREAM_RATE')
  // To ask what it is opens none: each one more could end another.
  if (c.req.method === 'HEAD') return c.body(null, 200, STREAM_HEADERS)
  const listener: StreamListener = {
    instanceId,
    tokenHash,
    credential: findCredential(c.var.actor),
    ...(grant?.chats && { chats: grant.chats }),
    // A database that was restored may be behind what a reader has seen; its new events must not wait for that number.
    afterSeq: Math.min(seenSeq, lastSeq),
    format: chooseFormat(c),
    ...(events && { events }),
  }
  const stream = await c.env.runtime.getCourier(instanceId).openStream(listener, c.req.raw.signal)
  return c.body(stream, 200, STREAM_HEADERS)
}
