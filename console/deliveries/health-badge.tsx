// Apart from its pages, because the header of an instance shows it on all of them: whether delivery works, in a few words.

import { toHash, toQueryHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { Badge } from '../ui/elements.tsx'
import { useNow } from '../ui/use-load.ts'
import { describeDelivery, isTrouble, rankNotices } from './delivery-health.ts'
import type { Webhooks } from './use-webhooks.ts'

const words = texts.deliveries.health
export const badgeKinds = { info: '', good: 'good', warn: 'warn', bad: 'bad' } as const

/** Leads to where the whole sentence stands: the deliveries, or one of several webhooks. */
interface Props {
  instanceId: string
  webhooks: Webhooks
  /** Without one nothing comes that could be delivered: that it works is no good news. */
  hasDevice: boolean
}

export function HealthBadge({ instanceId, webhooks, hasDevice }: Props) {
  const now = useNow()
  const { active, first } = webhooks
  const ranked = rankNotices(active, now)
  const [worst = { webhook: first, notice: describeDelivery(first.health, now) }] = ranked
  const { label, title, kind } = worst.notice
  const troubled = ranked.filter(({ notice }) => isTrouble(notice))
  const isOneOfSeveral = active.length > 1 && troubled.length > 0
  const isOfAll = troubled.every(({ notice }) => notice.label === label)
  const href = isOneOfSeveral
    ? toQueryHash(['instances', instanceId, 'webhook'], { webhook: worst.webhook.record?.id })
    : toHash('instances', instanceId, 'deliveries')
  return (
    <a class="badge-link" href={href} title={title}>
      <Badge kind={kind === 'good' && !hasDevice ? '' : badgeKinds[kind]}>
        {isOneOfSeveral
          ? words.ofSeveral(isOfAll ? label : words.mixed, troubled.length, active.length)
          : label}
      </Badge>
    </a>
  )
}
