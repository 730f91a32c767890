// The webhook of an instance: its own, the server's, or none, with its health, a test, and code for verification.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance-client.ts'
import type { Webhook, WebhookTested } from '../../shared/contract/responses/webhook-responses.ts'
import { verificationSamples } from '../../shared/verification-samples.ts'
import { DeliveryBanner, type HealthProps } from '../deliveries/delivery-banner.tsx'
import { describeCause } from '../deliveries/delivery-health.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, CopyButton, Fact, Loading, RadioLine, TimeAgo } from '../ui/elements.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { useLoad } from '../ui/use-load.ts'
import { WebhookForm } from './webhook-form.tsx'

const words = texts.webhook
type Mode = 'own' | 'inherit' | 'off'

const toMode = ({ registered, inheritedGlobal }: Webhook): Mode =>
  inheritedGlobal ? 'inherit' : registered ? 'own' : 'off'

interface Props extends HealthProps {
  canSaveServer: boolean
  /** Undefined for an admin, who does not have it. */
  token: string | undefined
  suggested: string | undefined
}

export function WebhookTab({ client, health, onChange, canSaveServer, token, suggested }: Props) {
  const { value, error, set, reload } = useLoad(() => client.webhook.show(), [client])
  const [chosen, setChosen] = useState<Mode>()
  if (error !== undefined) return <ErrorNote error={error} />
  if (!value) return <Loading />
  const currentMode = toMode(value)
  const mode = chosen ?? currentMode
  const reloadAll = () => Promise.all([reload(), onChange()])
  const applyWebhook = async (webhook: Webhook) => {
    set(webhook)
    setChosen(undefined)
    await onChange()
  }
  return (
    <div class="columns">
      <section class="card stack">
        <ModeChoice mode={mode} currentMode={currentMode} onChange={setChosen} />
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
              await reloadAll()
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
        <DeliveryHealth {...{ client, health, canSaveServer }} onChange={reloadAll} />
        {value.registered && <WebhookTest client={client} />}
        <CodeSamples token={token} />
      </div>
    </div>
  )
}

interface ModeChoiceProps {
  mode: Mode
  currentMode: Mode
  onChange: (mode: Mode) => void
}

const ModeChoice = ({ mode, currentMode, onChange }: ModeChoiceProps) => (
  <fieldset>
    <legend>{words.mode}</legend>
    {(['own', 'inherit', 'off'] as const).map((option) => (
      <label class="check" key={option}>
        <input type="radio" name="mode" checked={mode === option} onChange={() => onChange(option)} />
        <span>
          <span class="strong">{words.modes[option]}</span>
          {option === currentMode && <span class="small quiet"> · {words.now}</span>}
          <br />
          <span class="small quiet">{words.modeHints[option]}</span>
        </span>
      </label>
    ))}
  </fieldset>
)

function DeliveryHealth(props: HealthProps & { canSaveServer: boolean }) {
  const status = props.health.deliveryStatus
  return (
    <section class="card stack tight">
      <h2>{words.health}</h2>
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

/** Code to copy: the request that sets the webhook, and the verification of deliveries in four languages. */
const samples = {
  curl: `curl ${location.origin}/webhook -H "token: $TOKEN" -H 'content-type: application/json' \\
  -d '{"url":"https://example.com/hook","events":"all","secret":"'"$SECRET"'"}'`,
  ...verificationSamples,
}
type Language = keyof typeof samples
const languages = Object.keys(samples) as Language[]

function CodeSamples({ token = '$TOKEN' }: { token: string | undefined }) {
  const [language, setLanguage] = useState<Language>('curl')
  const text = samples[language]
  return (
    <section class="card stack">
      <div class="line even">
        <h2>{words.samples}</h2>
        <CopyButton text={text.replace('$TOKEN', token)} />
      </div>
      <RadioLine
        legend={words.language}
        name="language"
        options={languages.map((value) => ({ value, label: value }))}
        value={language}
        onChange={setLanguage}
      />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by the keyboard. */}
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
    </section>
  )
}
