// Apart from webhook-status.tsx, because the page behind a link shows them too: the figures of delivery to one webhook.

import type { DeliveryStatus } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { describeCause } from '../deliveries/delivery-health.ts'
import { texts } from '../texts.ts'
import { Fact, TimeAgo } from '../ui/elements.tsx'

const words = texts.webhook

export const DeliveryFacts = ({ status }: { status: DeliveryStatus }) => (
  <dl class="facts">
    <Fact name={words.pending}>
      <span class="count">{status.pending}</span>
    </Fact>
    <Fact name={words.dead}>
      <span class="count">{status.dead}</span>
    </Fact>
    <Fact name={words.lastDelivered}>
      <TimeAgo time={status.lastDeliveredAt} />
    </Fact>
    {status.lastFailure && (
      <Fact name={words.lastFailure}>
        {describeCause(status.lastFailure.error)} <TimeAgo time={status.lastFailure.at} />
      </Fact>
    )}
  </dl>
)
