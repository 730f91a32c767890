// How delivery to one webhook goes: its health with the ways to mend it, a test, and what failed last.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { DeliveryFailure } from '@msgnet/shared/contract/responses/event-responses.ts'
import type { WebhookTested } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { useState } from 'preact/hooks'
import { DeliveryBanner, HealthButton } from '../deliveries/delivery-banner.tsx'
import { describeCause } from '../deliveries/delivery-health.ts'
import { outcomeKinds } from '../deliveries/event-outcome.tsx'
import type { InstanceWebhook } from '../deliveries/instance-webhooks.ts'
import { pauseDelivery } from '../deliveries/resume-delivery.ts'
import { toQueryHash, useRoute } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Badge, Fact, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { LogList, LogRow } from '../ui/log-list.tsx'
import { useLoad } from '../ui/use-load.ts'

const words = texts.webhook
const RELOAD_MS = 10_000
/** Failures before the user asks for all of them. */
const SHOWN = 6

interface Props {
  client: InstanceClient
  webhook: InstanceWebhook
  onChange: () => Promise<unknown>
  canSaveServer: boolean
}

export function WebhookStatus(props: Props) {
  const { client, webhook } = props
  const id = webhook.health.registered ? webhook.record?.id : undefined
  return (
    <>
      <DeliveryHealth {...props} />
      {id && <WebhookTest key={id} client={client} id={id} />}
      {id && <Failures key={`failures ${id}`} client={client} id={id} />}
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
      {status && (
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
      )}
    </section>
  )
}

interface OfOneProps {
  client: InstanceClient
  id: string
}

function WebhookTest({ client, id }: OfOneProps) {
  const [result, setResult] = useState<WebhookTested>()
  return (
    <section class="card stack">
      <h2>{words.test}</h2>
      <p class="small quiet">{words.testHint}</p>
      <div class="stack tight">
        <ActionButton onAction={async () => setResult(await client.testWebhookById(id))}>
          {words.testConfirm}
        </ActionButton>
      </div>
      {result && (
        <div class={`note ${result.delivered ? 'good' : 'bad'}`} role="status">
          <Badge kind={result.delivered ? 'good' : 'bad'}>
            {result.delivered ? words.delivered : words.notDelivered}
          </Badge>{' '}
          {result.status ? words.answered(result.status, result.ms) : words.noResponse} {result.error}
        </div>
      )}
    </section>
  )
}

/** Nothing is shown until something has failed. */
function Failures({ client, id }: OfOneProps) {
  const { value, error } = useLoad(() => client.listFailuresById(id), [client, id], RELOAD_MS)
  const [isOpen, setOpen] = useState(false)
  const failures = value?.errors ?? []
  if (error !== undefined) return <ErrorNote error={error} />
  if (failures.length === 0) return null
  return (
    <section class="card stack failures">
      <h2>{words.failures}</h2>
      <LogList label={words.failures}>
        {failures.slice(0, isOpen ? failures.length : SHOWN).map((failure) => (
          <FailureRow key={failure.eventId} webhookId={id} failure={failure} />
        ))}
      </LogList>
      {!isOpen && failures.length > SHOWN && (
        <div>
          <Button class="bare" onClick={() => setOpen(true)}>
            {words.allFailures(failures.length)}
          </Button>
        </div>
      )}
    </section>
  )
}

function FailureRow({ webhookId, failure }: { webhookId: string; failure: DeliveryFailure }) {
  const [, instance = ''] = useRoute()
  const { eventId, seq, type, status, lastError, lastAttemptAt } = failure
  return (
    <LogRow
      time={lastAttemptAt}
      kind={outcomeKinds[status]}
      title={`${type} ${seq}`}
      detail={`${texts.deliveries.outcomes[status]}: ${describeCause(lastError)}`}
      href={toQueryHash(['instances', instance, 'deliveries'], { webhook: webhookId, event: eventId })}
    />
  )
}
