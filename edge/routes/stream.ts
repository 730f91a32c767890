// Opens the event stream of an instance, for programs without a public HTTPS address.

import type { Context } from 'hono'
import type { EdgeEnv } from '../context.ts'
import { inContractsWords } from '../family/chosen.ts'
import { integerIn } from '../http/query.ts'
import type { Handlers } from '../http/serve.ts'
import { countUse } from '../http/token-rates.ts'
import type { Listener } from '../objects.ts'

export const streamHandlers = {
  streamEvents: (c) => openStream(c),
} satisfies Partial<Handlers>

/** `events`: only those of these names. */
export async function openStream(c: Context<EdgeEnv>, events?: string[]): Promise<Response> {
  const { id: instanceId, lastSeq } = c.var.instance
  const { tokenHash } = c.var
  // A reader that has seen no event yet sends an empty one.
  const seen = c.req.header('last-event-id') || undefined
  const after = integerIn('Last-Event-ID', seen, { min: 0, fault: 'invalid_query' }) ?? lastSeq
  countUse(c, 'STREAM_RATE')
  const ours = inContractsWords(c.req.raw.headers)
  const listener: Listener = { instanceId, tokenHash, after, ours, ...(events && { events }) }
  const stream = await c.env.runtime.courier(instanceId).stream(listener, c.req.raw.signal)
  return c.body(stream, 200, {
    ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
    // A proxy must not buffer the stream.
    'x-accel-buffering': 'no',
  })
}
