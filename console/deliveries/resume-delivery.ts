// Pauses delivery to a webhook and starts it again, and makes what waits due now.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { DeliveryStatus, WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { texts } from '../texts.ts'
import { describeAttempt } from './delivery-health.ts'
import type { InstanceWebhook } from './instance-webhooks.ts'

/** A receiver that hangs is shown by the page itself. */
const WAIT_MS = 2500
const STEP_MS = 150

export const pauseDelivery = (client: InstanceClient, { id }: WebhookRecord): Promise<unknown> =>
  client.changeWebhook(id, { enabled: false })

/** After a 410, or a pause by hand. */
export async function resumeDelivery(client: InstanceClient, { id }: WebhookRecord): Promise<void> {
  const before = await readStatus(client, id)
  await client.changeWebhook(id, { enabled: true })
  if (before.pending > 0) await waitForAttempt(client, id, before)
}

/** The oldest that wait; the later ones follow them in order. Returns how the first attempt ended, if it ended in time. */
export async function deliverWaiting(client: InstanceClient, { id, first }: WebhookRecord): Promise<string> {
  const before = await readStatus(client, id)
  const ids = first ? await listWaiting(client) : await listRetried(client, id)
  if (ids.length === 0) return ''
  await client.redrive({ ids, webhookId: id })
  const after = await waitForAttempt(client, id, before)
  return after ? describeLatest(after) : texts.deliveries.queuedOne
}

/** A receiver that has responded well since its last failure has got what waited. */
const describeLatest = ({ cause, lastFailure }: DeliveryStatus): string =>
  cause ? describeAttempt({ status: lastFailure?.status ?? 0, error: cause }) : describeAttempt({ error: '' })

interface DeliverOptions {
  client: InstanceClient
  eventId: string
  /** Undefined: the first. */
  webhook: InstanceWebhook | undefined
}

/** One event now. Returns in words what came of it. */
export async function deliverEvent({ client, eventId, webhook }: DeliverOptions): Promise<string> {
  const webhookId = webhook?.record?.id
  const otherId = webhook?.record?.first === false ? webhookId : undefined
  const before = await readAttempt(client, eventId, otherId)
  const { queued } = await client.redrive({ ids: [eventId], ...(webhookId && { webhookId }) })
  if (queued === 0) return texts.deliveries.notQueued
  if (webhook?.health.deliveryStatus?.paused) return texts.deliveries.queuedPaused
  const tried = await repeatUntil(async () => {
    const latest = await readAttempt(client, eventId, otherId)
    return latest.at !== '' && latest.at !== before.at && latest.words
  })
  return tried ?? texts.deliveries.queuedOne
}

/** The latest attempt: those at the first webhook are listed with their time, those at others are only counted. */
async function readAttempt(client: InstanceClient, eventId: string, otherId: string | undefined) {
  const { event, attempts } = await client.event(eventId, { payload: false })
  const latest = attempts.at(-1)
  if (!otherId) return { at: latest?.at ?? '', words: latest ? describeAttempt(latest) : '' }
  const delivery = event.deliveries.find(({ webhookId }) => webhookId === otherId)
  const { lastAttemptAt = '', lastStatus, lastError = '' } = delivery ?? {}
  const error = delivery?.status === 'delivered' ? '' : lastError
  return { at: lastAttemptAt, words: describeAttempt({ status: lastStatus, error }) }
}

async function listWaiting(client: InstanceClient): Promise<string[]> {
  const limit = limits.maxListedEvents
  const { events } = await client.events({ status: 'pending', afterSeq: 0, limit, payload: false })
  return events.map(({ id }) => id)
}

/** At a webhook, what waits for its first attempt waits behind those that failed. */
async function listRetried(client: InstanceClient, webhookId: string): Promise<string[]> {
  const { errors } = await client.listFailuresById(webhookId)
  return errors.filter(({ status }) => status === 'pending').map(({ eventId }) => eventId)
}

const readStatus = async (client: InstanceClient, id: string): Promise<DeliveryStatus> =>
  (await client.getWebhookById(id)).webhook.deliveryStatus

/** So that the page shows what came of it, and not what was before. */
const waitForAttempt = (client: InstanceClient, id: string, before: DeliveryStatus) =>
  repeatUntil(async () => {
    const after = await readStatus(client, id)
    const isTried =
      after.lastDeliveredAt !== before.lastDeliveredAt || after.lastFailure?.at !== before.lastFailure?.at
    return isTried && after
  })

/** Undefined if nothing came of it in time. */
async function repeatUntil<Found>(find: () => Promise<Found | false>): Promise<Found | undefined> {
  const endAt = performance.now() + WAIT_MS
  while (performance.now() < endAt) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    const found = await find()
    if (found !== false) return found
  }
  return undefined
}
