// The events of an instance as a stream, for those with no public HTTPS address.

import type { Listener } from '../delivery/streams.ts'
import { courierOf } from '../delivery/wake.ts'
import { integerIn } from '../http/query.ts'
import type { Handlers } from '../http/serve.ts'

export const streamHandlers = {
  async streamEvents(c) {
    const { id: instanceId, lastSeq } = c.var.instance
    const { tokenHash } = c.var
    // An empty one is what a reader sends that has seen nothing yet.
    const seen = c.req.header('last-event-id') || undefined
    const after = integerIn('Last-Event-ID', seen, { min: 0, fault: 'invalid_query' }) ?? lastSeq
    const listener: Listener = { instanceId, tokenHash, after }
    const body = JSON.stringify(listener)
    const stream = await courierOf(c.env, instanceId).fetch('https://courier/', { method: 'POST', body })
    return c.body(stream.body as ReadableStream, 200, {
      ...{ 'content-type': 'text/event-stream', 'cache-control': 'no-store' },
      // A proxy on the way must not collect what is meant to arrive now.
      'x-accel-buffering': 'no',
    })
  },
} satisfies Partial<Handlers>
