// Apart from its pages, because the header of an instance shows it on all of them: whether delivery works, in two words.

import type { WebhookHealth } from '../../shared/contract/responses/webhook-responses.ts'
import { toHash } from '../hash-route.ts'
import { Badge } from '../ui/elements.tsx'
import { useNow } from '../ui/use-load.ts'
import { describeDelivery } from './delivery-health.ts'

const badgeKinds = { info: '', good: 'good', warn: 'warn', bad: 'bad' } as const

/** Leads to the deliveries, where the whole sentence stands. */
export function HealthBadge({ instanceId, health }: { instanceId: string; health: WebhookHealth }) {
  const { kind, label, title } = describeDelivery(health, useNow())
  return (
    <a class="badge-link" href={toHash('instances', instanceId, 'deliveries')} title={title}>
      <Badge kind={badgeKinds[kind]}>{label}</Badge>
    </a>
  )
}
