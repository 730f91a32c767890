// What became of one event at each of several webhooks, and its delivery to one of them.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { EventDelivery, EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'
import { useState } from 'preact/hooks'
import { formatMoment } from '../formats.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { describeCause } from './delivery-health.ts'
import { isForFirst } from './event-filter.ts'
import { OutcomeBadge } from './event-outcome.tsx'
import { type InstanceWebhook, nameWebhook } from './instance-webhooks.ts'
import { deliverEvent } from './resume-delivery.ts'

const words = texts.deliveries

interface Props {
  /** Undefined for a token that may only read. */
  client: InstanceClient | undefined
  event: EventRecord
  webhooks: readonly InstanceWebhook[]
  onChange: () => Promise<unknown>
}

export const EventWebhooks = ({ webhooks, ...rest }: Props) => (
  <section class="stack tight">
    <h3>{words.webhooks}</h3>
    <ul class="attempts">
      {webhooks.map((webhook) => (
        <WebhookRow
          key={webhook.record?.id}
          {...rest}
          webhook={webhook}
          name={nameWebhook(webhook, webhooks)}
        />
      ))}
    </ul>
  </section>
)

type RowProps = Omit<Props, 'webhooks'> & { webhook: InstanceWebhook; name: string }

function WebhookRow({ client, event, webhook, name, onChange }: RowProps) {
  const [answer, setAnswer] = useState('')
  const delivery = findDelivery(event, webhook)
  const action = chooseAction(delivery)
  const deliver = async () => {
    if (!client) return
    setAnswer(await deliverEvent({ client, eventId: event.id, webhook }))
    await onChange()
  }
  return (
    <li>
      <div class="attempt">
        <span class="strong cut event-webhook" title={webhook.record?.url}>
          {name}
        </span>
        {delivery && <OutcomeBadge outcome={delivery.status} />}
        <span class="grow">{delivery ? describeDelivery(delivery) : words.notForIt}</span>
        {client && (
          <ActionButton class="small-button" label={`${action}: ${name}`} onAction={deliver}>
            {action}
          </ActionButton>
        )}
      </div>
      {answer && (
        <p class="refusal small" role="status">
          {answer}
        </p>
      )}
    </li>
  )
}

type Outcome = Omit<EventDelivery, 'webhookId'>

function findDelivery(event: EventRecord, { record }: InstanceWebhook): Outcome | undefined {
  if (record && !record.first) return event.deliveries.find(({ webhookId }) => webhookId === record.id)
  return isForFirst(event) ? event : undefined
}

function chooseAction(delivery: Outcome | undefined): string {
  if (!delivery) return words.deliverHere
  return delivery.status === 'pending' ? words.deliverNow : words.replayOne
}

function describeDelivery({ status, attempts, lastError, deliveredAt, nextAttemptAt }: Outcome): string {
  return [
    status !== 'delivered' && lastError && describeCause(lastError),
    attempts > 0 && words.attempts(attempts),
    deliveredAt && formatMoment(deliveredAt),
    status === 'pending' && nextAttemptAt && words.nextAt(formatMoment(nextAttemptAt)),
  ]
    .filter(Boolean)
    .join(' · ')
}
