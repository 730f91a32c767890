// How delivery to one webhook goes: its health with the ways to mend it, a test, and what failed last.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { DeliveryBanner, HealthButton } from '../deliveries/delivery-banner.tsx'
import type { InstanceWebhook } from '../deliveries/instance-webhooks.ts'
import { pauseDelivery } from '../deliveries/resume-delivery.ts'
import { toQueryHash, useRoute } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { DeliveryFacts } from './delivery-facts.tsx'
import { WebhookFailures, WebhookTest } from './webhook-checks.tsx'

const words = texts.webhook

interface Props {
  client: InstanceClient
  webhook: InstanceWebhook
  onChange: () => Promise<unknown>
  canSaveServer: boolean
}

export function WebhookStatus(props: Props) {
  const { client, webhook } = props
  const [, instance = ''] = useRoute()
  const id = webhook.health.registered ? webhook.record?.id : undefined
  return (
    <>
      <DeliveryHealth {...props} />
      {id && <WebhookTest key={id} onTest={() => client.testWebhookById(id)} />}
      {id && (
        <WebhookFailures
          key={`failures ${id}`}
          onLoad={() => client.listFailuresById(id)}
          toHref={({ eventId }) =>
            toQueryHash(['instances', instance, 'deliveries'], { webhook: id, event: eventId })
          }
        />
      )}
    </>
  )
}

function DeliveryHealth(props: Props) {
  const { client, webhook, onChange } = props
  const { health, record } = webhook
  const { deliveryStatus: status } = health
  const canPause = record !== undefined && status?.paused === '' && !health.inheritedGlobal
  return (
    <section class="card stack tight">
      <div class="line even">
        <h2>{words.health}</h2>
        {canPause && (
          <HealthButton {...{ client, record, onChange }} work={pauseDelivery}>
            {words.pause}
          </HealthButton>
        )}
      </div>
      <DeliveryBanner {...props} />
      {status && <DeliveryFacts status={status} />}
    </section>
  )
}
