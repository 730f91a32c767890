// The banner of a webhook: what is wrong, since when, and the button that mends it.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import type { WebhookRecord } from '@msgnet/shared/contract/responses/webhook-responses.ts'
import { useState } from 'preact/hooks'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Banner } from '../ui/notices.tsx'
import { useNow } from '../ui/use-load.ts'
import { type DeliveryState, describeDelivery } from './delivery-health.ts'
import type { InstanceWebhook } from './instance-webhooks.ts'
import { deliverWaiting, resumeDelivery } from './resume-delivery.ts'

const words = texts.deliveries.health

interface Props {
  webhook: InstanceWebhook
  /** Among several. */
  name?: string | undefined
  /** Undefined for a token that may only read: then nothing can be done. */
  client: InstanceClient | undefined
  /** Loads the health again. */
  onChange: () => Promise<unknown>
  /** Asks for a replay of what is dead. */
  onReplayDead?: (() => void) | undefined
  /** Where an inherited webhook is saved. */
  canSaveServer: boolean
}

export function DeliveryBanner({ webhook, name, client, onChange, onReplayDead, canSaveServer }: Props) {
  const { health, record } = webhook
  const { state, kind, title, text } = describeDelivery(health, useNow())
  const [answer, setAnswer] = useState('')
  const { inheritedGlobal, deliveryStatus } = health
  const isStopped = state === 'gone' || state === 'disabled'
  const target = client && record && { client, record, onChange }
  return (
    <Banner
      kind={kind}
      title={name ? `${name}: ${title}` : title}
      actions={
        <>
          {target && isStopped && !inheritedGlobal && (
            <HealthButton {...target} isMain work={resumeDelivery}>
              {words.resume}
            </HealthButton>
          )}
          {isStopped && inheritedGlobal && canSaveServer && (
            <a class="button main" href={toHash('webhook')}>
              {words.openServer}
            </a>
          )}
          {target && hasWaiting(state, deliveryStatus?.pending) && (
            <HealthButton {...target} work={async (...choice) => setAnswer(await deliverWaiting(...choice))}>
              {words.deliverNow}
            </HealthButton>
          )}
          {onReplayDead && Boolean(deliveryStatus?.dead) && (
            <Button onClick={onReplayDead}>{words.replayDead}</Button>
          )}
        </>
      }
    >
      {isStopped && inheritedGlobal ? `${text} ${words.inherited}` : text}
      {answer && state === 'failing' && <span role="status"> {answer}</span>}
    </Banner>
  )
}

interface HealthButtonProps {
  client: InstanceClient
  record: WebhookRecord
  onChange: () => Promise<unknown>
  work: (client: InstanceClient, record: WebhookRecord) => Promise<unknown>
  isMain?: boolean
  children: string
}

export const HealthButton = ({ client, record, onChange, work, isMain, children }: HealthButtonProps) => (
  <ActionButton
    class={isMain ? 'main' : ''}
    onAction={async () => {
      await work(client, record)
      await onChange()
    }}
  >
    {children}
  </ActionButton>
)

const hasWaiting = (state: DeliveryState, pending = 0): boolean => state === 'failing' && pending > 0
