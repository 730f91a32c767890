// The simulation's own webhook receiver: it responds with the chosen status, and shows the deliveries.

import type { InstanceClient } from '@msgnet/client/instance-client.ts'
import { texts } from '../texts.ts'
import { ActionButton } from '../ui/action-button.tsx'
import { Badge, TimeAgo } from '../ui/elements.tsx'
import { useLoad } from '../ui/use-load.ts'
import { createSecret } from '../webhooks/webhook-form.tsx'
import type { SimulationClient } from './simulation-client.ts'

const words = texts.simulation
const statuses = [204, 500, 410] as const

export function ReceiverCard({
  client,
  simulation,
}: {
  client: InstanceClient
  simulation: SimulationClient
}) {
  const { value, set } = useLoad(() => simulation.readReceiver(), [simulation], 1500)
  const subscribeInstance = async () => {
    const { url } = await simulation.readReceiver()
    await client.webhook.save({ action: 'update', url, events: 'all', secret: createSecret() })
  }
  return (
    <section class="card stack">
      <h2>{words.receiver}</h2>
      {value && (
        <p class="small">
          <code>{value.url}</code>
        </p>
      )}
      <fieldset>
        <legend>{words.responseLabel}</legend>
        {statuses.map((answer) => (
          <label class="check" key={answer}>
            <input
              type="radio"
              name="answer"
              checked={value?.answer === answer}
              onChange={async () => set(await simulation.setReceiverStatus(answer))}
            />
            <span>
              <code>{answer}</code> <span class="small quiet">{words.responseHints[answer]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <ActionButton onAction={subscribeInstance}>{words.subscribe}</ActionButton>
      <ol class="stack tight received">
        {value?.received.slice(0, 12).map((one) => (
          <li class="line still even small" key={`${one.id}${one.at}`}>
            <code class="cut">{one.type}</code>
            <span class="line still">
              <TimeAgo time={one.at} />
              <Badge kind={one.status < 300 ? 'good' : 'bad'}>{one.status}</Badge>
            </span>
          </li>
        ))}
        {value?.received.length === 0 && <li class="small quiet">{words.nothingReceived}</li>}
      </ol>
    </section>
  )
}
