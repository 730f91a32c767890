// The webhook of an instance: its own, the server's, or none, with its health, a test, and code for verification.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { Webhook, WebhookTested } from '../../shared/contract/responses/webhook-responses.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, Loading, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { CodeSamples } from './code-samples.tsx'
import { WebhookForm } from './webhook-form.tsx'

const words = texts.webhook
type Mode = 'own' | 'inherit' | 'off'

const toMode = ({ registered, inheritedGlobal }: Webhook): Mode =>
  inheritedGlobal ? 'inherit' : registered ? 'own' : 'off'

interface Props {
  client: InstanceClient
  token: string
  suggested: string | undefined
}

export function WebhookTab({ client, token, suggested }: Props) {
  const { value, error, set, reload } = useLoad(() => client.webhook.show(), [client])
  const [chosen, setChosen] = useState<Mode>()
  if (error !== undefined) return <ErrorNote error={error} />
  if (!value) return <Loading />
  const currentMode = toMode(value)
  const mode = chosen ?? currentMode
  const applyWebhook = (webhook: Webhook) => {
    set(webhook)
    setChosen(undefined)
  }
  return (
    <div class="columns">
      <section class="card stack">
        <fieldset>
          <legend>{words.mode}</legend>
          {(['own', 'inherit', 'off'] as const).map((each) => (
            <label class="check" key={each}>
              <input type="radio" name="mode" checked={mode === each} onChange={() => setChosen(each)} />
              <span>
                <span class="strong">{words.modes[each]}</span>
                {each === currentMode && <span class="small quiet"> · {words.now}</span>}
                <br />
                <span class="small quiet">{words.modeHints[each]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {mode === 'own' && (
          <WebhookForm
            key={`${currentMode}${value.updatedAt ?? ''}`}
            current={currentMode === 'own' ? value : {}}
            suggested={suggested}
            onSave={async (input) => applyWebhook(await client.webhook.save({ action: 'update', ...input }))}
          />
        )}
        {mode === 'inherit' && currentMode !== 'inherit' && (
          <ActionButton class="main" onAction={async () => applyWebhook(await client.webhook.inherit())}>
            {words.inheritConfirm}
          </ActionButton>
        )}
        {mode === 'off' && currentMode !== 'off' && (
          <ActionButton
            class="danger"
            onAction={async () => {
              await client.webhook.turnOff()
              await reload()
              setChosen(undefined)
            }}
          >
            {words.offConfirm}
          </ActionButton>
        )}
        {currentMode === 'inherit' && value.url && (
          <p class="small">
            <code>{value.url}</code>
          </p>
        )}
      </section>
      <div class="stack">
        {value.registered && <DeliveryHealth webhook={value} />}
        {value.registered && <WebhookTest client={client} />}
        <CodeSamples token={token} />
      </div>
    </div>
  )
}

function DeliveryHealth({ webhook: { deliveryStatus: status } }: { webhook: Webhook }) {
  return (
    <section class="card stack tight">
      <h2>{words.health}</h2>
      {status.paused === 'gone' && <p class="note bad">{words.gone}</p>}
      {status.paused === 'disabled' && <p class="note warn">{words.disabled}</p>}
      <dl class="facts">
        <dt>{words.pending}</dt>
        <dd class="count">{status.pending}</dd>
        <dt>{words.dead}</dt>
        <dd class="count">{status.dead}</dd>
        <dt>{words.lastDelivered}</dt>
        <dd>
          <TimeAgo time={status.lastDeliveredAt} />
        </dd>
        {status.lastFailure && (
          <>
            <dt>{words.lastFailure}</dt>
            <dd>
              {status.lastFailure.status || ''} {status.lastFailure.error}{' '}
              <TimeAgo time={status.lastFailure.at} />
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

function WebhookTest({ client }: { client: InstanceClient }) {
  const [result, setResult] = useState<WebhookTested>()
  return (
    <section class="card stack">
      <h2>{words.test}</h2>
      <p class="small quiet">{words.testHint}</p>
      <div class="stack tight">
        <ActionButton onAction={async () => setResult(await client.webhook.test())}>
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
