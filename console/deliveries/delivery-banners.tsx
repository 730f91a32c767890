// What the webhooks of an instance say above its deliveries: the chosen one, or each that stands still, or one line for all of them.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { texts } from '../texts.ts'
import { useNow } from '../ui/use-load.ts'
import { DeliveryBanner } from './delivery-banner.tsx'
import { isTrouble, rankNotices } from './delivery-health.ts'
import { type InstanceWebhook, nameWebhook } from './instance-webhooks.ts'
import type { Webhooks } from './use-webhooks.ts'

interface Props {
  webhooks: Webhooks
  /** The one of the filter. */
  chosen: InstanceWebhook | undefined
  client: InstanceClient | undefined
  canSaveServer: boolean
  onChange: () => Promise<unknown>
  onReplayDead: ((webhook: InstanceWebhook) => void) | undefined
}

export function DeliveryBanners({ webhooks: { active, first }, chosen, onReplayDead, ...rest }: Props) {
  const now = useNow()
  const troubled = rankNotices(active, now).filter(({ notice }) => isTrouble(notice))
  const [best = first] = active
  const shown = chosen ? [chosen] : troubled.length > 0 ? troubled.map(({ webhook }) => webhook) : [best]
  return (
    <>
      {shown.map((webhook) => (
        <DeliveryBanner
          key={webhook.record?.id ?? 'first'}
          {...rest}
          webhook={webhook}
          name={findName(webhook, active, troubled.length > 0 || chosen !== undefined)}
          onReplayDead={onReplayDead && (() => onReplayDead(webhook))}
        />
      ))}
    </>
  )
}

/** None if there is only one. Without trouble the line is for all of them. */
function findName(
  webhook: InstanceWebhook,
  active: readonly InstanceWebhook[],
  isOfOne: boolean,
): string | undefined {
  if (active.length < 2) return undefined
  return isOfOne ? nameWebhook(webhook, active) : texts.deliveries.allWebhooks(active.length)
}
