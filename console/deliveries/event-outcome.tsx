// The outcome of an event, as a word and as a colour, and as dots for several webhooks.

import type { EventRecord } from '@msgnet/shared/contract/responses/event-responses.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/elements.tsx'
import type { Outcome } from './event-filter.ts'
import { findWebhook, type InstanceWebhook, nameWebhook } from './instance-webhooks.ts'

const words = texts.deliveries
export const outcomeKinds = { pending: 'warn', delivered: 'good', dead: 'bad', unaddressed: '' } as const

export const OutcomeBadge = ({ outcome }: { outcome: Outcome }) => (
  <Badge kind={outcomeKinds[outcome]}>{words.outcomes[outcome]}</Badge>
)

/** A dot for each webhook beside the first, in the order of their list. */
export function OtherOutcomes({
  event,
  webhooks,
}: {
  event: EventRecord
  webhooks: readonly InstanceWebhook[]
}) {
  const others = event.deliveries.filter(({ webhookId }) => !findWebhook(webhooks, webhookId)?.record?.first)
  if (others.length === 0) return null
  const outcomes = others.map(({ webhookId, status }) => ({
    webhookId,
    kind: outcomeKinds[status],
    label: `${nameById(webhookId, webhooks)}: ${words.outcomes[status]}`,
  }))
  const label = outcomes.map((each) => each.label).join(', ')
  return (
    <span class="dots" role="img" aria-label={label} title={label}>
      {outcomes.map(({ webhookId, kind }) => (
        <i key={webhookId} class={`dot ${kind}`} />
      ))}
    </span>
  )
}

/** A token that may only read sees no addresses. */
function nameById(webhookId: string, webhooks: readonly InstanceWebhook[]): string {
  const webhook = findWebhook(webhooks, webhookId)
  return webhook ? nameWebhook(webhook, webhooks) : webhookId.slice(0, 8)
}
