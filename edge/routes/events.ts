// The event queue of an instance, as it is kept.

import type { Context } from 'hono'
import type { EventList, FailureList } from '../../shared/contract/answers/event.ts'
import { limits } from '../../shared/contract/version.ts'
import type { EdgeEnv } from '../context.ts'
import { integerQuery, wordQuery } from '../http/query.ts'
import { eventRecord, failureRecord } from '../records/event.ts'
import { eventStatuses, listEvents, listFailures } from '../store/events.ts'
import { needWebhooks } from './webhook.ts'

const FAILURES_SHOWN = 50

export async function inspectEvents(c: Context<EdgeEnv>) {
  const range = { min: 1, max: limits.eventListMax, fault: 'invalid_limit' } as const
  const limit = integerQuery(c, 'limit', range) ?? limits.eventListDefault
  const status = wordQuery(c, 'status', eventStatuses, 'invalid_status')
  const afterSeq = integerQuery(c, 'afterSeq', { min: 0, fault: 'invalid_query' })
  const rows = await listEvents(c.var.store, c.var.instance.id, { limit, status, afterSeq })
  return c.json<EventList>({ events: rows.map(eventRecord), ...(status && { status }) })
}

export async function inspectFailures(c: Context<EdgeEnv>) {
  needWebhooks(c)
  const rows = await listFailures(c.var.store, c.var.instance.id, FAILURES_SHOWN)
  return c.json<FailureList>({ errors: rows.map(failureRecord) })
}
