// Pauses delivery to a webhook and starts it again, and makes what waits due now.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { limits } from '@msgnet/shared/contract/limits.ts'
import type { DeliveryStatus, WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'

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

/** The oldest that wait; the later ones follow them in order. */
export async function deliverWaiting(client: InstanceClient, { id, first }: WebhookRecord): Promise<void> {
  const before = await readStatus(client, id)
  const ids = first ? await listWaiting(client) : await listRetried(client, id)
  if (ids.length === 0) return
  await client.redrive({ ids, webhookId: id })
  await waitForAttempt(client, id, before)
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
async function waitForAttempt(client: InstanceClient, id: string, before: DeliveryStatus): Promise<void> {
  const endAt = performance.now() + WAIT_MS
  while (performance.now() < endAt) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    const after = await readStatus(client, id)
    const isTried =
      after.lastDeliveredAt !== before.lastDeliveredAt || after.lastFailure?.at !== before.lastFailure?.at
    if (isTried) return
  }
}
