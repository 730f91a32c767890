// Handlers for operators of many instances: the overview, and the list that its figures lead to.

import type { WebhookEnvelope } from '@msgnet/shared/contract/change-envelopes.ts'
import { Status } from '@msgnet/shared/contract/instance-requests.ts'
import { type Overview, WebhookState } from '@msgnet/shared/contract/responses/overview-responses.ts'
import { formatDateTime, MINUTE, SECOND } from '@msgnet/shared/date-time.ts'
import { Fault } from '@msgnet/shared/fault-table.ts'
import { createTag } from '../http/conditional-response.ts'
import type { Handlers } from '../http/serve-route.ts'
import { formatPosition, parsePosition, toListedInstance } from '../records/listed-instance.ts'
import type { Runtime } from '../runtime/runtime.ts'
import { areWebhooksEnabled, readLeaseMs } from '../settings/env.ts'
import { searchInstances } from '../store/found-instances.ts'
import { findHourCounter, type HourCounter } from '../store/hour-counts.ts'
import { countInstancesAndHosts, type InstanceGroup } from '../store/overview-queries.ts'

export const overviewHandlers = {
  async getOverview(c) {
    const { fleet, events } = findCounts(c.env.runtime)
    const { groups, gaps, hosts, webhookEvents, at } = await fleet.readValue(async () => ({
      at: Date.now(),
      ...(await countInstancesAndHosts(c.var.store, areWebhooksEnabled(c.env))),
    }))
    const { hours, ...sums } = await events.readValue(() =>
      findHourCounter(c.env.runtime).countEvents(c.var.store),
    )
    const counted = {
      ...addUpGroups(groups),
      gaps,
      webhookEvents: webhookEvents.map(toWebhookEvent),
      events: { hours: hours.map((hour) => ({ ...hour, at: formatDateTime(hour.at) })), ...sums },
      hosts,
    }
    // The same counts of another time are no change.
    c.header('etag', await createTag(c.env, JSON.stringify(counted)))
    return { at: formatDateTime(at), ...counted }
  },

  async searchInstances(c, { query }) {
    const { after, sort } = query
    const position = after ? parsePosition(sort, after) : undefined
    if (after && !position)
      throw new Fault('invalid_query', 'after must be the `next` of a page with the same sort.')
    const { rows, total, next } = await searchInstances(c.var.store, {
      ...query,
      after: position,
      areWebhooksEnabled: areWebhooksEnabled(c.env),
    })
    const leaseMs = readLeaseMs(c.env)
    const instances = rows.map((row) => toListedInstance(row, leaseMs))
    return { instances, next: next ? formatPosition(sort, next) : '', total }
  },
} satisfies Partial<Handlers>

const toWebhookEvent = ({ timestamp, instanceId, instanceName, event }: WebhookEnvelope) => ({
  at: formatDateTime(timestamp),
  instance: { id: instanceId, name: instanceName },
  ...event,
  since: formatDateTime(event.since),
})

function addUpGroups(groups: InstanceGroup[]): Pick<Overview, 'instances' | 'webhooks'> {
  const addUp = (field: 'state' | 'reason' | 'webhook', word: string) =>
    groups.reduce((sum, group) => sum + (group[field] === word ? group.instances : 0), 0)
  const reasons = new Set(groups.map(({ reason }) => reason).filter(Boolean))
  const countWords = <Word extends string>(field: 'state' | 'reason' | 'webhook', words: Iterable<Word>) =>
    Object.fromEntries([...words].map((word) => [word, addUp(field, word)])) as Record<Word, number>
  return {
    instances: {
      total: groups.reduce((sum, { instances }) => sum + instances, 0),
      states: countWords('state', Status.options),
      reasons: countWords('reason', reasons),
    },
    webhooks: countWords('webhook', WebhookState.options),
  }
}

/** Counts that were just read are good for this many times as long as reading them took, within these limits. */
const TIMES_AS_LONG = 25
const GOOD_FOR = { min: 2 * SECOND, max: MINUTE }

/** However many pages are open, counting takes a small share of the database's time. */
class ReadCache<Value> {
  #latest: { value: Value; until: number } | undefined
  /** While a request reads, others get what is there; a request that was cancelled may never end. */
  #readingUntil = 0

  async readValue(read: () => Promise<Value>): Promise<Value> {
    const startedAt = Date.now()
    if (this.#latest && startedAt < Math.max(this.#latest.until, this.#readingUntil))
      return this.#latest.value
    this.#readingUntil = startedAt + MINUTE
    try {
      const value = await read()
      const endedAt = Date.now()
      const goodFor = Math.max(GOOD_FOR.min, Math.min(GOOD_FOR.max, TIMES_AS_LONG * (endedAt - startedAt)))
      this.#latest = { value, until: endedAt + goodFor }
      return value
    } finally {
      this.#readingUntil = 0
    }
  }
}

const createCounts = () => ({
  fleet: new ReadCache<{ at: number } & Awaited<ReturnType<typeof countInstancesAndHosts>>>(),
  events: new ReadCache<Awaited<ReturnType<HourCounter['countEvents']>>>(),
})

const counts = new WeakMap<Runtime, ReturnType<typeof createCounts>>()

/** A request of Cloudflare's runtime may not wait for another one, so only results are shared. */
function findCounts(runtime: Runtime) {
  const found = counts.get(runtime) ?? createCounts()
  counts.set(runtime, found)
  return found
}
