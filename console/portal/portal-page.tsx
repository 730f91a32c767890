// The page behind a link to the webhooks of one instance: who receives them sees what failed, tries again, and sees nothing else.

import type { PortalState, PortalWebhook } from '@msgnet/shared/contract/responses/link-responses.ts'
import { useEffect, useState } from 'preact/hooks'
import { describeDelivery } from '../deliveries/delivery-health.ts'
import { formatMoment } from '../formats.ts'
import { OutcomeNote } from '../link-page/outcome-note.tsx'
import { useLinkState } from '../link-page/use-link-state.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Loading } from '../ui/elements.tsx'
import { Banner } from '../ui/notices.tsx'
import { useNow } from '../ui/use-load.ts'
import { DeliveryFacts } from '../webhooks/delivery-facts.tsx'
import { WebhookFailures, WebhookTest } from '../webhooks/webhook-checks.tsx'
import type { PortalClient } from './portal-client.ts'

const words = texts.portal
const RELOAD_MS = 5000

export function PortalPage({ client }: { client: PortalClient }) {
  const { state, hasEnded, isOffline } = useLinkState(client, { everyMs: RELOAD_MS })
  useEffect(() => {
    document.title = words.title
  }, [])
  return (
    <main class="alone wide link-page">
      <h1>{words.title}</h1>
      {state && !hasEnded && <p class="quiet">{words.intro(state.name)}</p>}
      {isOffline && !hasEnded && (
        <p class="note warn" role="status">
          {texts.linkPage.offline}
        </p>
      )}
      {hasEnded ? (
        <section class="card stack">
          <OutcomeNote title={texts.linkPage.ended} description={texts.linkPage.endedHint} />
        </section>
      ) : state ? (
        <Webhooks client={client} state={state} />
      ) : (
        <Loading />
      )}
      {state && !hasEnded && <p class="small quiet">{texts.linkPage.until(formatMoment(state.expiresAt))}</p>}
    </main>
  )
}

const Webhooks = ({ client, state }: { client: PortalClient; state: PortalState }) =>
  state.webhooks.length === 0 ? (
    <section class="card stack">
      <p>{words.none}</p>
    </section>
  ) : (
    state.webhooks.map((webhook) => <OneWebhook key={webhook.id} client={client} webhook={webhook} />)
  )

function OneWebhook({ client, webhook }: { client: PortalClient; webhook: PortalWebhook }) {
  const { id, url, events, deliveryStatus } = webhook
  return (
    <section class="stack" aria-label={url}>
      <section class="card stack">
        <h2 class="cut" title={url}>
          {url}
        </h2>
        <p class="small quiet">{events.join(', ')}</p>
        <Health webhook={webhook} />
        <DeliveryFacts status={deliveryStatus} />
        {deliveryStatus.dead > 0 && (
          <Replay label={texts.deliveries.health.replayDead} onReplay={() => client.replay(id)} />
        )}
      </section>
      <WebhookTest onTest={() => client.sendTest(id)} />
      <WebhookFailures
        onLoad={() => client.listFailures(id)}
        renderEnd={({ eventId }) => (
          <Replay label={texts.deliveries.replayOne} onReplay={() => client.replay(id, [eventId])} />
        )}
      />
    </section>
  )
}

/** What stops delivery is mended where the webhook is saved, which this page does not do. */
function Health({ webhook: { deliveryStatus, enabled, inherited } }: { webhook: PortalWebhook }) {
  const health = { registered: true, inheritedGlobal: inherited, enabled, deliveryStatus }
  const { kind, title, text } = describeDelivery(health, useNow())
  return (
    <Banner kind={kind} title={title}>
      {deliveryStatus.paused ? words.stopped : text}
    </Banner>
  )
}

function Replay({ label, onReplay }: { label: string; onReplay: () => Promise<{ queued: number }> }) {
  const [queued, setQueued] = useState<number>()
  return (
    <span class="line">
      <ActionButton class="small-button" onAction={async () => setQueued((await onReplay()).queued)}>
        {label}
      </ActionButton>
      {queued !== undefined && (
        <span class="small quiet" role="status">
          {queued === 0 ? texts.deliveries.notQueued : texts.deliveries.queued(queued)}
        </span>
      )}
    </span>
  )
}
