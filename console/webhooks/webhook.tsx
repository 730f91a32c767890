// The webhook of an instance: its own, the server's, or none, with its health, a test, and code for verification.

import { useState } from 'preact/hooks'
import type { InstanceClient } from '../../client/instance.ts'
import type { Webhook, WebhookTested } from '../../shared/contract/answers/webhook.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Ago, Badge, Loading } from '../ui/parts.tsx'
import { Trouble } from '../ui/trouble.tsx'
import { WebhookForm } from './form.tsx'
import { Samples } from './samples.tsx'

const words = texts.webhook
type Mode = 'own' | 'inherit' | 'off'

const modeOf = ({ registered, inheritedGlobal }: Webhook): Mode =>
  inheritedGlobal ? 'inherit' : registered ? 'own' : 'off'

interface Props {
  client: InstanceClient
  token: string
  suggested: string | undefined
}

export function WebhookPage({ client, token, suggested }: Props) {
  const { value, error, set, reload } = useLoad(() => client.webhook.show(), [client])
  const [chosen, setChosen] = useState<Mode>()
  if (error !== undefined) return <Trouble error={error} />
  if (!value) return <Loading />
  const present = modeOf(value)
  const mode = chosen ?? present
  const settled = (webhook: Webhook) => {
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
                {each === present && <span class="small quiet"> · {words.now}</span>}
                <br />
                <span class="small quiet">{words.modeSays[each]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        {mode === 'own' && (
          <WebhookForm
            key={`${present}${value.updatedAt ?? ''}`}
            now={present === 'own' ? value : {}}
            suggested={suggested}
            save={async (wish) => settled(await client.webhook.save({ action: 'update', ...wish }))}
          />
        )}
        {mode === 'inherit' && present !== 'inherit' && (
          <Act class="main" act={async () => settled(await client.webhook.inherit())}>
            {words.inheritDo}
          </Act>
        )}
        {mode === 'off' && present !== 'off' && (
          <Act
            class="danger"
            act={async () => {
              await client.webhook.turnOff()
              await reload()
              setChosen(undefined)
            }}
          >
            {words.offDo}
          </Act>
        )}
        {present === 'inherit' && value.url && (
          <p class="small">
            <code>{value.url}</code>
          </p>
        )}
      </section>
      <div class="stack">
        {value.registered && <Health webhook={value} />}
        {value.registered && <Test client={client} />}
        <Samples token={token} />
      </div>
    </div>
  )
}

function Health({ webhook: { deliveryStatus: status } }: { webhook: Webhook }) {
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
          <Ago time={status.lastDeliveredAt} />
        </dd>
        {status.lastFailure && (
          <>
            <dt>{words.lastFailure}</dt>
            <dd>
              {status.lastFailure.status || ''} {status.lastFailure.error}{' '}
              <Ago time={status.lastFailure.at} />
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

function Test({ client }: { client: InstanceClient }) {
  const [answer, setAnswer] = useState<WebhookTested>()
  return (
    <section class="card stack">
      <h2>{words.test}</h2>
      <p class="small quiet">{words.testSays}</p>
      <div class="stack tight">
        <Act act={async () => setAnswer(await client.webhook.test())}>{words.testDo}</Act>
      </div>
      {answer && (
        <div class={`note ${answer.delivered ? 'good' : 'bad'}`} role="status">
          <Badge kind={answer.delivered ? 'good' : 'bad'}>
            {answer.delivered ? words.delivered : words.notDelivered}
          </Badge>{' '}
          {answer.status ? words.answered(answer.status, answer.ms) : words.noAnswer} {answer.error}
        </div>
      )}
    </section>
  )
}
