// The banner above the deliveries and the webhook: what is wrong, since when, and the button that mends it.

import type { InstanceClient } from '../../client/instance-client.ts'
import type { WebhookHealth } from '../../shared/contract/responses/webhook-responses.ts'
import { toHash } from '../hash-route.ts'
import { texts } from '../texts.ts'
import { ActionButton, Button } from '../ui/action-button.tsx'
import { Banner } from '../ui/notices.tsx'
import { useNow } from '../ui/use-load.ts'
import { type DeliveryState, describeDelivery } from './delivery-health.ts'
import { deliverWaiting, resumeDelivery } from './resume-delivery.ts'

const words = texts.deliveries.health

export interface HealthProps {
  client: InstanceClient
  health: WebhookHealth
  /** Loads the health again. */
  onChange: () => Promise<unknown>
}

interface Props extends Omit<HealthProps, 'client'> {
  /** Undefined for a token that may only read: then nothing can be done. */
  client: InstanceClient | undefined
  /** Asks for a replay of what is dead. */
  onReplayDead?: (() => void) | undefined
  /** Where an inherited webhook is saved. */
  canSaveServer: boolean
}

export function DeliveryBanner({ client, health, onChange, onReplayDead, canSaveServer }: Props) {
  const notice = describeDelivery(health, useNow())
  const { state, kind, title, text } = notice
  const { inheritedGlobal, deliveryStatus } = health
  const isStopped = state === 'gone' || state === 'disabled'
  const runAndReload = (work: (of: InstanceClient) => Promise<void>) => async () => {
    if (client) await work(client)
    await onChange()
  }
  return (
    <Banner
      kind={kind}
      title={title}
      actions={
        <>
          {client && isStopped && !inheritedGlobal && (
            <ActionButton class="main" onAction={runAndReload(resumeDelivery)}>
              {state === 'gone' ? words.resume : words.turnOn}
            </ActionButton>
          )}
          {isStopped && inheritedGlobal && canSaveServer && (
            <a class="button main" href={toHash('webhook')}>
              {words.openServer}
            </a>
          )}
          {client && hasWaiting(state, deliveryStatus?.pending) && (
            <ActionButton onAction={runAndReload(deliverWaiting)}>{words.deliverNow}</ActionButton>
          )}
          {onReplayDead && Boolean(deliveryStatus?.dead) && (
            <Button onClick={onReplayDead}>{words.replayDead}</Button>
          )}
        </>
      }
    >
      {isStopped && inheritedGlobal ? `${text} ${words.inherited}` : text}
    </Banner>
  )
}

const hasWaiting = (state: DeliveryState, pending = 0): boolean => state === 'failing' && pending > 0
