// Handlers that read the stored events of an instance.

import type { Handlers } from '../http/serve.ts'
import { eventRecord, failureRecord } from '../records/event.ts'
import { listEvents, listFailures } from '../store/events/events.ts'
import { needWebhooks } from './webhook.ts'

export const FAILURES_SHOWN = 50

export const eventHandlers = {
  async listEvents(c, { query }) {
    const rows = await listEvents(c.var.store, c.var.instance.id, query)
    const { status } = query
    return { events: rows.map(eventRecord), ...(status && { status }) }
  },

  async listDeliveryFailures(c) {
    needWebhooks(c)
    const rows = await listFailures(c.var.store, c.var.instance.id, FAILURES_SHOWN)
    return { errors: rows.map(failureRecord) }
  },
} satisfies Partial<Handlers>
