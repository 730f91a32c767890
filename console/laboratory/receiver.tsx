// The laboratory's own webhook receiver: it answers as it is set, and shows the deliveries.

import type { InstanceClient } from '../../client/instance.ts'
import { texts } from '../texts.ts'
import { Act } from '../ui/act.tsx'
import { useLoad } from '../ui/load.ts'
import { Ago, Badge } from '../ui/parts.tsx'
import { makeSecret } from '../webhooks/form.tsx'
import type { Lab } from './lab.ts'

const words = texts.laboratory
const answers = [204, 500, 410] as const

export function ReceiverCard({ client, lab }: { client: InstanceClient; lab: Lab }) {
  const { value, set } = useLoad(() => lab.receiver(), [lab], 1500)
  const subscribe = async () => {
    const { url } = await lab.receiver()
    await client.webhook.save({ action: 'update', url, events: 'all', secret: makeSecret() })
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
        <legend>{words.answersWith}</legend>
        {answers.map((answer) => (
          <label class="check" key={answer}>
            <input
              type="radio"
              name="answer"
              checked={value?.answer === answer}
              onChange={async () => set(await lab.receiver(answer))}
            />
            <span>
              <code>{answer}</code> <span class="small quiet">{words.answerSays[answer]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <Act act={subscribe}>{words.subscribe}</Act>
      <ol class="stack tight received">
        {value?.received.slice(0, 12).map((one) => (
          <li class="line still even small" key={`${one.id}${one.at}`}>
            <code class="cut">{one.type}</code>
            <span class="line still">
              <Ago time={one.at} />
              <Badge kind={one.status < 300 ? 'good' : 'bad'}>{one.status}</Badge>
            </span>
          </li>
        ))}
        {value?.received.length === 0 && <li class="small quiet">{words.nothingReceived}</li>}
      </ol>
    </section>
  )
}
