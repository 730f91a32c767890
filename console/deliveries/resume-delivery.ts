// Starts delivery again: saves the same webhook once more, or makes what waits due now.

import type { InstanceClient } from '../../client/instance-client.ts'
import { limits } from '../../shared/contract/limits.ts'
import type { DeliveryStatus } from '../../shared/contract/responses/webhook-responses.ts'

/** A receiver that hangs is shown by the page itself. */
const WAIT_MS = 2500
const STEP_MS = 150

/** After a 410, or a pause by hand. The names that are accepted and not delivered belong to the choice of events too. */
export async function resumeDelivery(client: InstanceClient): Promise<void> {
  const {
    url = '',
    events = [],
    ignoredEvents = [],
    excludeMessages,
    deliveryStatus,
  } = await client.webhook.show()
  await client.webhook.save({
    action: 'update',
    url,
    events: [...events, ...ignoredEvents],
    excludeMessages: excludeMessages ?? [],
    enabled: true,
  })
  if (deliveryStatus.pending > 0) await waitForAttempt(client, deliveryStatus)
}

/** The oldest that wait; the later ones follow them in order. */
export async function deliverWaiting(client: InstanceClient): Promise<void> {
  const { deliveryStatus } = await client.webhook.show()
  const { events } = await client.events({
    status: 'pending',
    afterSeq: 0,
    limit: limits.maxListedEvents,
    payload: false,
  })
  if (events.length === 0) return
  await client.redrive({ ids: events.map(({ id }) => id) })
  await waitForAttempt(client, deliveryStatus)
}

/** So that the page shows what came of it, and not what was before. */
async function waitForAttempt(client: InstanceClient, before: DeliveryStatus): Promise<void> {
  const endAt = performance.now() + WAIT_MS
  while (performance.now() < endAt) {
    await new Promise((resolve) => setTimeout(resolve, STEP_MS))
    const { deliveryStatus: after } = await client.webhook.show()
    const isTried =
      after.lastDeliveredAt !== before.lastDeliveredAt || after.lastFailure?.at !== before.lastFailure?.at
    if (isTried) return
  }
}
