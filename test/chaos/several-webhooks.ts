// Instances with five webhooks, each of which behaves in its own manner, and what must be true of each after any number of deaths.

import type { Device } from '../device.ts'
import { type Delivery, type Receiver, startReceiver } from '../receiver.ts'
import { until } from '../until.ts'
import type { World } from '../world.ts'
import { computeDuplicatePercent, findMostRepeated } from './repeats.ts'

/** Beside the first, which behaves well. */
export const manners = ['hanging', 'gone', 'slow', 'well'] as const
type Manner = (typeof manners)[number]

/** How long the slow one takes for each response. */
const SLOW_MS = 20
const SETTLES_WITHIN_MS = 180_000
const MAX_DUPLICATE_PERCENT = 0.5

/** Of one webhook, over all instances that have five. */
export interface WebhookVerdict {
  webhook: Manner | 'first'
  deliveries: number
  /** Events that it did not get and that do not wait for it either. */
  missing: number
  /** Deliveries of an event beyond its first, in percent of all; not counted where no attempt succeeds. */
  duplicatePercent: number
  /** The most events that the webhook of one instance got twice; not counted where no attempt succeeds. */
  mostRepeated: number
  /** Deliveries with other bytes than at the first webhook, or with an id that no event has. */
  altered: number
  /** Events that came after a later one. */
  disordered: number
}

export const isWebhookClean = ({ missing, duplicatePercent, altered, disordered }: WebhookVerdict): boolean =>
  missing + altered + disordered === 0 && duplicatePercent <= MAX_DUPLICATE_PERCENT

export class OtherWebhooks {
  readonly #receivers: Record<Manner, Receiver>
  /** The ids of the webhooks, in the order of `manners`. */
  readonly #webhooks = new Map<Device, string[]>()
  #events: string[] = []

  constructor(receivers: Record<Manner, Receiver>) {
    this.#receivers = receivers
  }

  /** For WEBHOOK_ALLOWLIST. */
  get places(): string[] {
    return Object.values(this.#receivers).map(({ place }) => place)
  }

  /** Adds four webhooks to an instance that has its first one. */
  async addTo(device: Device, events: string[]): Promise<void> {
    this.#events = events
    const ids: string[] = []
    for (const manner of manners) {
      const { url } = this.#receivers[manner]
      const { status, text, body } = await device.caller.post('/v1/webhooks', { url, events })
      if (status !== 200) throw new Error(`another webhook answered ${status}: ${text}`)
      ids.push(body.webhook.id)
    }
    this.#webhooks.set(device, ids)
  }

  /** Waits until those that respond have everything. `first`: the receiver of the first webhooks. */
  async check(world: World, first: Receiver): Promise<WebhookVerdict[]> {
    const instances = [...this.#webhooks.keys()].map(({ id }) => id)
    const expected = await this.#listExpected(world, instances)
    const isOwn = ({ envelope }: Delivery) => instances.includes(envelope.instanceId)
    const bodies = new Map(first.deliveries.map(({ headers, body }) => [headers['webhook-id'], body]))
    const buildVerdict = (
      webhook: Manner | 'first',
      deliveries: Delivery[],
      missing: number,
    ): WebhookVerdict => ({
      webhook,
      deliveries: deliveries.length,
      missing,
      duplicatePercent: isFailing(webhook) ? 0 : computeDuplicatePercent(deliveries),
      mostRepeated: isFailing(webhook) ? 0 : findMostRepeated(deliveries),
      altered: deliveries.filter(({ headers, body }) => bodies.get(headers['webhook-id']) !== body).length,
      disordered: countDisordered(deliveries),
    })
    const verdicts = [buildVerdict('first', first.deliveries.filter(isOwn), 0)]
    for (const [place, manner] of manners.entries()) {
      const { deliveries } = this.#receivers[manner]
      const countMissing = isFailing(manner)
        ? async () => expected.size - (await this.#countStored(place))
        : () => countNotDelivered(expected, deliveries)
      await until(async () => (await countMissing()) === 0, { within: SETTLES_WITHIN_MS }).catch(
        () => undefined,
      )
      verdicts.push(buildVerdict(manner, deliveries, await countMissing()))
    }
    return verdicts
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#receivers).map((receiver) => receiver.close()))
  }

  /** The ids of all events that these webhooks want. */
  async #listExpected(world: World, instances: string[]): Promise<Set<string>> {
    const [ids, types] = [instances, this.#events].map((names) => names.map((name) => `'${name}'`).join())
    const rows = await world.queryDatabase(
      `select id from events where instance_id in (${ids}) and type in (${types})`,
    )
    return new Set(rows.map(({ id }) => String(id)))
  }

  /** Events that wait for this webhook, or that it has refused for good. */
  async #countStored(place: number): Promise<number> {
    const counts = [...this.#webhooks].map(async ([{ caller }, ids]) => {
      const { body } = await caller.get(`/v1/webhooks/${ids[place]}`)
      return body.webhook.deliveryStatus.pending + body.webhook.deliveryStatus.dead
    })
    return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
  }
}

/** Start them before the gateway, which needs their addresses. */
export async function startOtherWebhooks(): Promise<OtherWebhooks> {
  const [hanging, gone, slow, well] = await Promise.all([
    startReceiver(),
    startReceiver(),
    startReceiver(),
    startReceiver(),
  ])
  hanging.released = new Promise(() => undefined)
  gone.status = 410
  slow.delayMs = SLOW_MS
  return new OtherWebhooks({ hanging, gone, slow, well })
}

const isFailing = (webhook: Manner | 'first'): boolean => webhook === 'hanging' || webhook === 'gone'

const countNotDelivered = (expected: Set<string>, deliveries: Delivery[]): number => {
  const delivered = new Set(deliveries.map(({ headers }) => headers['webhook-id']))
  return [...expected].filter((id) => !delivered.has(id)).length
}

/** Of each instance; what comes again is not counted. */
function countDisordered(deliveries: Delivery[]): number {
  const seen = new Set<string>()
  const newest = new Map<string, number>()
  return deliveries.filter(({ envelope: { eventId, instanceId, seq } }) => {
    if (seen.has(eventId)) return false
    seen.add(eventId)
    const before = newest.get(instanceId) ?? 0
    newest.set(instanceId, Math.max(before, seq))
    return seq < before
  }).length
}
